import type { JSX } from "preact";
import { appearanceOf, isAnswerable, isPlaceholder, type Pane } from "../../model/pane.ts";
import { unknownWord } from "../../model/work.ts";
import { Notice } from "../../ui/notice.tsx";
import { refusedText } from "../../words/refusals.ts";
import { HostAway } from "../hosts/hosts.tsx";

const TITLES = new Map([
  ["prompt_changed", "Not sent: the prompt changed"],
  ["options_changed", "Not sent: the options changed"],
]);

/** Why an answer was not sent. */
export function Refusal({ reason }: { readonly reason: string }): JSX.Element {
  if (reason === "changed" || reason === "moved")
    return (
      <Notice icon="refresh" tone="needs" title="This prompt just changed" isAlert>
        Read it again before you answer.
      </Notice>
    );
  return (
    <Notice icon="warning" tone="error" title={TITLES.get(reason) ?? "Not sent"} isAlert>
      {refusedText(reason)}
    </Notice>
  );
}

/** Why a pane cannot be answered here. */
export function Obstacle({ pane }: { readonly pane: Pane }): JSX.Element | null {
  const isStale = appearanceOf(pane) === "stale";
  if (isStale && pane.host) return <HostAway name={pane.host} />;
  if (isStale)
    return (
      <Notice icon="clock" tone="stale" title="This pane cannot be read">
        What is shown is from before. Answers come back when it can be read.
      </Notice>
    );
  const unknown = unknownWord(pane);
  if (unknown !== null) return <Notice icon="info" tone="stale" title={unknown} />;
  if (!isAnswerable(pane) && !isPlaceholder(pane.id))
    return <Notice icon="lock" tone="stale" title="Answer this one in the terminal." />;
  return null;
}
