import type { JSX } from "preact";
import { takesInput, type Pane } from "../../model/pane.ts";
import type { SeenAgent } from "../../../src/protocol/tolerant-later.ts";
import {
  parkedGroups,
  isParkedByLog,
  parkedFacts,
  type Parked as ParkedUntil,
} from "../../model/lifecycle.ts";
import type { Slot } from "../../model/queue.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Icon } from "../../ui/button.tsx";
import { SwitchItem } from "../../ui/item.tsx";
import { parked as words } from "../../words/times.ts";
import { Fault, useAct } from "../parts/query-status.tsx";
import { useDerived } from "../parts/derived.ts";
import { PaneRow, type RowLines } from "../parts/row.tsx";
import { TerminalText } from "../parts/text.tsx";

/** Until when a limit holds the pane, and the switch to go on then; or what became of going on. */
export function Parked(props: {
  readonly pane: Pane;
  readonly class?: string;
}): JSX.Element | null {
  const { pane, class: extra = "" } = props;
  const server = useServer();
  const canContinue = server.config.has("continue_v1") && server.may("type");
  const now = useMinute();
  const facts = parkedFacts(pane, now, canContinue);
  if (facts === null) return null;
  const { parked, fate, hasSwitch, isOn } = facts;
  return (
    <section
      class={`parked-box ${extra}`}
      aria-label={parked === null ? "Continue then" : undefined}
    >
      {parked !== null && <Limit parked={parked} now={now} />}
      {fate !== null && (
        <p role="status">
          {fate.state === "sent" ? words.sent(fate.at, now) : words.notSent(fate.reason ?? "")}
        </p>
      )}
      {hasSwitch && <ContinueSwitch pane={pane} isOn={isOn} now={now} />}
    </section>
  );
}

/** Of an agent whose pane is not known: its log tells of the limit, and nothing can be sent. */
export function ParkedAgent(props: {
  readonly agent: Pick<SeenAgent, "lifecycle" | "parked">;
  readonly class?: string;
}): JSX.Element | null {
  const { agent, class: extra = "" } = props;
  const now = useMinute();
  if (!isParkedByLog(agent)) return null;
  return (
    <section class={`parked-box ${extra}`}>
      <Limit parked={agent.parked} now={now} />
    </section>
  );
}

function Limit(props: { readonly parked: ParkedUntil; readonly now: number }): JSX.Element {
  const { parked, now } = props;
  return (
    <>
      <h2 class="flex gap-8 fs-17 bold">
        <Icon name="clock" />
        <TerminalText text={`Parked: ${parked.reason}`} />
      </h2>
      <p class="text-2">
        {words.freeAgain(parked.until, now)}
        {parked.continues && " It goes on by itself then."}
      </p>
    </>
  );
}

function ContinueSwitch(props: {
  readonly pane: Pane;
  readonly isOn: boolean;
  readonly now: number;
}): JSX.Element {
  const { pane, isOn, now } = props;
  const server = useServer();
  const { preferences } = useBrowser();
  const act = useAct("Not changed");
  const { id, parked, continue_then: set } = pane;
  const until = parked?.until ?? null;
  const ready = preferences.current.value.snippets[0] ?? "continue";
  const { text, at } = isOn && set !== null ? set : { text: ready, at: until ?? now };
  const change = (on: boolean) => {
    if (until === null) return;
    const json = on ? { id, on, until, text: ready } : { id, on };
    void act.run(() => server.api.call("POST /api/continue", { json }));
  };
  return (
    <div class="set">
      <SwitchItem
        label="Continue then"
        hint={<TerminalText text={words.hint(text, at, now)} />}
        isOn={isOn}
        disabled={act.isBusy || !server.can("type") || (!isOn && !takesInput(pane))}
        onChange={change}
      />
      <Fault>{act.fault}</Fault>
    </div>
  );
}

export function ParkedLine({ parked }: Pick<Pane, "parked">): JSX.Element {
  return <>{words.free(parked?.until ?? null, useMinute())}</>;
}

/** Epoch seconds of the minute, so that nothing is drawn with each second. */
function useMinute(): number {
  const { clock } = useBrowser();
  return useDerived(() => Math.floor(clock.now.value / 60) * 60, []);
}

/** In the queue below Blocked: the panes of one limit stand together. */
export function ParkedGroups({ slots }: { readonly slots: readonly Slot[] }): JSX.Element {
  const { panes } = useServer();
  const groups = useDerived(
    () => parkedGroups(slots.flatMap(({ card }) => panes.find(card.pane_id ?? "") ?? [])),
    [slots],
  );
  const now = useMinute();
  return (
    <>
      {groups.map(({ until, ids }) => (
        <section key={ids[0]} class="parked-group">
          <h3 class="flex gap-6 fs-13 regular text-2">
            <Icon name="clock" class="small" />
            {words.free(until, now)}
          </h3>
          <ul class="rows">
            {ids.map((id) => (
              <PaneRow key={id} id={id} linesOf={linesOf} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

const linesOf = ({ parked, continue_then: then, updated }: Pane): RowLines => {
  if (then?.state === "not_sent") return { second: words.notSent(then.reason ?? "") };
  if (then?.state === "set") return { second: words.continues(then.at, updated) };
  return { second: parked?.reason ?? "" };
};
