import type { ComponentChildren, JSX } from "preact";
import { appearanceOf, takesInput, type Pane } from "../../model/pane.ts";
import { useServer } from "../../state/client.ts";
import { pane as words } from "../../words/pane.ts";
import { HostAway } from "../hosts/away.tsx";
import { unknownWord } from "../parts/unknown.ts";
import { Composer } from "./composer.tsx";

interface FootProps {
  readonly pane: Pane;
  readonly isGone?: boolean;
  /** The prompt above it says why nothing can be typed. */
  readonly isSaid?: boolean;
}

/** The end of a pane's page on each of its tabs: why nothing can be typed, or where it is. */
export function PaneFoot(
  props: FootProps & { readonly children?: ComponentChildren },
): JSX.Element {
  const { pane, isGone = false, children } = props;
  const server = useServer();
  const draft = server.drafts.of(pane).value;
  const isEmpty = draft.text === "" && draft.images.length === 0;
  return (
    <footer class="pane-foot">
      <InputNotice {...props} />
      {server.may("type") && !isGone && children}
      {server.may("type") && !(isGone && isEmpty) && <Composer pane={pane} />}
    </footer>
  );
}

/** Why nothing can be typed here now. */
function InputNotice(props: FootProps): JSX.Element | null {
  const { pane, isGone = false, isSaid = false } = props;
  const server = useServer();
  const isOffline = server.phase.value === "offline";
  const mayLook = !server.may("type") && (server.may("answer") ? "answer" : "look");
  const text = mayLook ? `This device may only ${mayLook}.` : noticeFor(pane, isGone, isOffline);
  if (text === null) return null;
  if (pane.host && pane.stale && !isGone && !isOffline && !isSaid)
    return <HostAway name={pane.host} />;
  return (
    <p class="input-notice" role="status">
      {text}
    </p>
  );
}

function noticeFor(pane: Pane, isGone: boolean, isOffline: boolean): string | null {
  if (isGone) return `This pane is gone. ${words.goneText}`;
  if (isOffline) return "No connection. Your draft is kept.";
  const appearance = appearanceOf(pane);
  if (appearance === "offline") return "Not running. Input is off.";
  if (appearance === "stale") return "This pane cannot be read now. Input is off.";
  return unknownWord(pane) ?? (takesInput(pane) ? null : "This pane takes no input.");
}
