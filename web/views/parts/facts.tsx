import type { JSX } from "preact";
import { TerminalText } from "./text.tsx";
import type { SeenAgent } from "../../../src/protocol/tolerant-later.ts";
import { contextBar, contextNote } from "../../model/lifecycle.ts";
import type { Pane } from "../../model/pane.ts";
import type { Card } from "../../model/queue.ts";
import { Gauge } from "../../ui/gauge.tsx";
import { usePane } from "./derived.ts";

/** Names with their values, a line each; empty values are left out. */
export function FactList(props: {
  readonly facts: readonly (readonly [name: string, value: string])[];
}): JSX.Element {
  return (
    <dl class="grid gap-6 fs-13 numbers">
      {props.facts.map(
        ([name, value]) =>
          value !== "" && (
            <div key={name} class="flex start between gap-12">
              <dt class="rigid text-2">{name}</dt>
              <dd class="to-end anywhere">
                <TerminalText text={value} />
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}

export function ContextBar(props: {
  readonly pane: Pane | null;
  readonly agent: SeenAgent | null;
  /** The least percentage that is drawn. */
  readonly from?: number;
}): JSX.Element | null {
  const bar = contextBar(props.pane, props.agent, props.from);
  if (bar === null) return null;
  const { percent, isHigh } = bar;
  return (
    <div class="context-bar flex rigid gap-12 fs-12 numbers text-2 rule-below">
      <Gauge value={percent} of={100} label="Context used" {...(isHigh && { tone: "error" })} />
      <span class={`rigid ${isHigh ? "text-error" : ""}`}>
        <b>{`${percent} %`}</b> {"of its context"}
        {isHigh && <b>. {"It compacts soon"}</b>}
      </span>
    </div>
  );
}

export function ContextNote({ card }: { readonly card: Card }): JSX.Element | null {
  const pane = usePane(card.pane_id ?? "").value;
  const note = contextNote(pane, card.agent);
  return note === null ? null : <p class="fine">{note}</p>;
}
