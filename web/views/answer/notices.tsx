import type { JSX } from "preact";
import type { Answer } from "../../model/answer.ts";
import {
  appearanceOf,
  canSelect,
  isPlaceholder,
  nativeDoubt,
  takesInput,
  waits,
  type Pane,
  unknownWord,
} from "../../model/pane.ts";
import { useServer } from "../../state/client.ts";
import { refusedText } from "../../words/refusals.ts";
import { more } from "../more.tsx";
import { Notice } from "../../ui/notice.tsx";

const TITLES = new Map([
  ["prompt_changed", "Not sent: the prompt changed"],
  ["options_changed", "Not sent: the options changed"],
]);

/** What stands between the reader and an answer, in words. */
export function AnswerNotice(props: {
  readonly pane: Pane;
  readonly answer: Answer | null;
}): JSX.Element | null {
  const { pane, answer } = props;
  if (answer?.step === "refused" && (answer.reason === "changed" || answer.reason === "moved"))
    return (
      <Notice icon="refresh" tone="needs" title="This prompt just changed" isAlert>
        Read it again before you answer.
      </Notice>
    );
  if (answer?.step === "refused")
    return (
      <Notice icon="warning" tone="error" title={TITLES.get(answer.reason) ?? "Not sent"} isAlert>
        {refusedText(answer.reason)}
      </Notice>
    );
  if (answer !== null) return null;
  return <PaneNotice pane={pane} />;
}

function PaneNotice({ pane }: { readonly pane: Pane }): JSX.Element | null {
  const { outage } = useServer();
  // Said above all panes.
  if (outage.value !== null) return null;
  if (appearanceOf(pane) === "stale" && pane.host) return <more.HostAway name={pane.host} />;
  if (appearanceOf(pane) === "stale")
    return (
      <Notice icon="clock" tone="stale" title="This pane cannot be read">
        What is shown is from before. Answers come back when it can be read.
      </Notice>
    );
  const unknown = unknownWord(pane);
  if (unknown !== null) return <Notice icon="info" tone="stale" title={unknown} />;
  const hasNoSafeAnswer = pane.menu.length > 0 && !pane.menu.some((o) => canSelect(pane, o));
  if ((!takesInput(pane) || hasNoSafeAnswer) && !isPlaceholder(pane.id))
    return <Notice icon="lock" tone="stale" title="Answer this one in the terminal." />;
  return null;
}

/** Where the provider says another thing than the screen: the screen is what is answered. */
export function NativeDoubt({ pane }: { readonly pane: Pane }): JSX.Element | null {
  const { config } = useServer();
  const said = nativeDoubt(pane);
  if (said === null) return null;
  const provider = config.labels.value[pane.provider] ?? pane.provider;
  const native = { idle: "idle", working: "working", blocked: "waiting" }[said];
  const shows = waits(pane) ? "asks" : "does not show it";
  return <p class="hint">{`${provider} says ${native}; the screen ${shows}.`}</p>;
}
