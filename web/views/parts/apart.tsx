import { useEffect, useRef } from "preact/hooks";
import type { ComponentType, JSX } from "preact";
import { agentHash, paneHash } from "../../state/browser/router.ts";
import { common } from "../../words/common.ts";
import { RowParts } from "../../ui/row.tsx";
import { Boundary } from "./boundary.tsx";
import { usePane } from "./derived.ts";
import { InnerLink } from "./inner-link.tsx";
import { TerminalText } from "./text.tsx";

interface Whose {
  readonly paneId?: string | null;
  readonly agentId?: string | null;
}

/** A row or a card whose faults end in it: it says so in its place, and its list stays. */
export function apart<P extends object>(
  as: "li" | "article",
  View: ComponentType<P>,
  whose: (props: P) => Whose = () => ({}),
): ComponentType<P> {
  return function Apart(props: P): JSX.Element {
    return (
      <Boundary instead={(retry) => <NotShown as={as} {...whose(props)} retry={retry} />}>
        <View {...props} />
      </Boundary>
    );
  };
}

/** Leads to what could not be drawn, and draws it anew once its pane has changed. */
function NotShown(
  props: Whose & { readonly as: "li" | "article"; readonly retry: () => void },
): JSX.Element {
  const { as: Place, paneId = null, agentId = null, retry } = props;
  const pane = usePane(paneId ?? "").value;
  const failed = useRef(pane);
  useEffect(() => {
    if (failed.current !== pane) retry();
  }, [pane]);
  const name = <TerminalText text={pane?.name ?? ""} />;
  const parts = <RowParts title={name} second={common.notShown} />;
  const hash = paneId === null ? agentHash(agentId ?? "") : paneHash(paneId);
  return (
    <Place class={Place === "li" ? "row-item" : "card"}>
      {paneId === null && agentId === null ? (
        <div class="row">{parts}</div>
      ) : (
        <InnerLink class="row" hash={hash} row={paneId ?? agentId ?? ""}>
          {parts}
        </InnerLink>
      )}
    </Place>
  );
}
