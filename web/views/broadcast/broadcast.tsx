import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import {
  leftOutReason,
  MAX_RECIPIENTS,
  recipientsOf,
  type IsHeld,
  type LeftOut,
  Broadcast,
  type BroadcastOutcome,
} from "../../state/server/broadcast.ts";
import { appearanceOf, isAgent, type Pane } from "../../model/pane.ts";
import { cleanInput } from "../../model/text.ts";
import { allowsAnswers } from "../../net/connection.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Sheet } from "../../ui/sheet.tsx";
import { broadcast as words } from "../../words/broadcast.ts";
import { common, count } from "../../words/common.ts";
import { usePress } from "../answer/press.ts";
import { HostChip } from "../hosts/hosts.tsx";
import { WriteText } from "../parts/write-field.tsx";
import { Place, TerminalText } from "../parts/text.tsx";
import { Tile } from "../parts/tile.tsx";
import { SwitchItem } from "../../ui/item.tsx";
import { Section, Heading } from "../../ui/section.tsx";

/** One text for many panes; who cannot get it is listed with the reason. */
export function BroadcastSheet(): JSX.Element {
  const server = useServer();
  const { connection, panes } = server;
  const isHeld = (id: string) => server.outbox.isHeld(id);
  const broadcast = usePart(Broadcast);
  const { router } = useBrowser();
  const field = useRef<HTMLTextAreaElement>(null);
  const all = panes.all.value;
  const text = broadcast.text.value;
  const taking = all.filter((pane) => leftOutReason(pane, isHeld) === null);
  const recipients = recipientsOf(all, broadcast.chosen.value, isHeld);
  const isOffline = !allowsAnswers(connection.value.phase);
  const isSending = broadcast.outcome.value.step === "sending";
  const press = usePress<readonly string[]>({
    see: () => recipients.map(({ id }) => id),
    release: (seen) => void broadcast.send(seen),
    holds: false,
  });
  return (
    <Sheet
      title="Broadcast"
      closeLabel={common.close}
      onClose={() => router.close()}
      initialFocus={field}
      footer={
        <>
          <Notes recipients={recipients} isOffline={isOffline} />
          <Button
            tone="primary"
            size="block"
            disabled={recipients.length === 0 || text === "" || isOffline || isSending}
            {...press}
          >
            {isSending
              ? `Sending to ${count(recipients.length, "pane", "panes")}`
              : words.send(recipients.length)}
          </Button>
        </>
      }
    >
      <Outcome outcome={broadcast.outcome.value} />
      <div class="mb-12">
        <WriteText
          field={field}
          label="Text for every chosen pane"
          placeholder="One text for many panes"
          value={text}
          onInput={(written) => broadcast.write(cleanInput(written).text)}
        />
      </div>
      <div class="set">
        <SwitchItem
          label="Press Enter after the text"
          isOn={broadcast.enter.value}
          onChange={(on) => {
            broadcast.enter.value = on;
          }}
        />
      </div>
      <Choice panes={taking} />
      <LeftOutList panes={all} isHeld={isHeld} />
    </Sheet>
  );
}

function Choice({ panes }: { readonly panes: readonly Pane[] }): JSX.Element {
  const broadcast = usePart(Broadcast);
  const agents = panes.filter(isAgent);
  const others = panes.filter((pane) => !isAgent(pane));
  const of = (appearance: string) => agents.filter((pane) => appearanceOf(pane) === appearance);
  const idle = [...of("idle"), ...of("finished")];
  const choose = (some: readonly Pane[]) => () => broadcast.choose(some.map(({ id }) => id));
  return (
    <Section
      kind="sheet"
      title="Send to"
      end={
        <>
          <Button
            size="small"
            disabled={of("working").length === 0}
            onClick={choose(of("working"))}
          >
            {`Working agents ${of("working").length}`}
          </Button>
          <Button size="small" disabled={idle.length === 0} onClick={choose(idle)}>
            {`Idle agents ${idle.length}`}
          </Button>
          <Button
            size="small"
            disabled={broadcast.chosen.value.size === 0}
            onClick={() => broadcast.choose([])}
          >
            None
          </Button>
        </>
      }
    >
      {panes.length === 0 && <p class="hint">No pane takes a broadcast now.</p>}
      <Recipients panes={agents} />
      {others.length > 0 && (
        <>
          <Heading kind="sheet" level={4} title="Shells and programs" count={others.length} />
          <Recipients panes={others} />
        </>
      )}
    </Section>
  );
}

const Recipients = ({ panes }: { readonly panes: readonly Pane[] }): JSX.Element => (
  <ul>
    {panes.map((pane) => (
      <Recipient key={pane.id} pane={pane} />
    ))}
  </ul>
);

function Recipient({ pane }: { readonly pane: Pane }): JSX.Element {
  const broadcast = usePart(Broadcast);
  const isChosen = broadcast.chosen.value.has(pane.id);
  return (
    <li class="pick-item relative">
      <button
        type="button"
        class="pick"
        role="checkbox"
        aria-checked={isChosen}
        onClick={() => broadcast.toggle(pane.id)}
      >
        <span class={`checkbox ${isChosen ? "on" : ""}`}>
          {isChosen && <Icon name="check" class="small" />}
        </span>
        <Tile pane={pane} status size="small" />
        <span class="grow">
          <b class="truncate">
            <TerminalText text={pane.name} />
          </b>
          <span class="pick-second fs-13 text-2 truncate">
            <Place pane={pane} />
          </span>
        </span>
      </button>
    </li>
  );
}

function LeftOutList(props: {
  readonly panes: readonly Pane[];
  readonly isHeld: IsHeld;
}): JSX.Element | null {
  const { panes, isHeld } = props;
  const out = panes.flatMap((pane) => {
    const reason = leftOutReason(pane, isHeld);
    return reason === null ? [] : [{ pane, reason }];
  });
  if (out.length === 0) return null;
  return (
    <Section kind="sheet" title="Left out" count={out.length}>
      <ul>
        {out.map(({ pane, reason }) => (
          <LeftOutRow key={pane.id} pane={pane} reason={reason} />
        ))}
      </ul>
    </Section>
  );
}

function LeftOutRow(props: { readonly pane: Pane; readonly reason: LeftOut }): JSX.Element {
  const { pane, reason } = props;
  return (
    <li class="pick-item relative pick off">
      <span class="checkbox" />
      <Tile pane={pane} status size="small" />
      <span class="grow">
        <b class="truncate">
          <TerminalText text={pane.name} />
        </b>
        <span class="pick-second fs-13 text-2">
          <HostChip pane={pane} />
          {words.reasons[reason]}
        </span>
      </span>
    </li>
  );
}

/** What must be known before the text goes. */
function Notes(props: {
  readonly recipients: readonly Pane[];
  readonly isOffline: boolean;
}): JSX.Element | null {
  const { recipients, isOffline } = props;
  const broadcast = usePart(Broadcast);
  const note = noteFor(recipients, broadcast.text.value, isOffline);
  return note === null ? null : (
    <p class="broadcast-note fs-13 text-2" role="status">
      {note}
    </p>
  );
}

function noteFor(recipients: readonly Pane[], text: string, isOffline: boolean): string | null {
  if (isOffline) return "No connection. The text is kept.";
  if (recipients.length > 0 && text === "") return "Write a text first.";
  if (recipients.length === MAX_RECIPIENTS)
    return `At most ${MAX_RECIPIENTS} panes at once; the rest is left out.`;
  const lines = text.trimEnd().split("\n").length;
  const hasShell = recipients.some((pane) => pane.kind === "shell");
  return hasShell && lines > 1 ? `A shell runs each of the ${lines} lines.` : null;
}

function Outcome({ outcome }: { readonly outcome: BroadcastOutcome }): JSX.Element | null {
  if (outcome.step === "writing" || outcome.step === "sending") return null;
  if (outcome.step === "done" && outcome.failures.length === 0)
    return (
      <p class="notice good" role="status">
        <Icon name="check" />
        {`Sent to ${count(outcome.sent, "pane", "panes")}.`}
      </p>
    );
  return (
    <div class="notice error" role="alert">
      <Icon name="warning" />
      <div class="grow">
        {outcome.step === "uncertain" &&
          "The connection dropped while the text was being sent. Some panes may have it: look at them before you send it again."}
        {outcome.step === "refused" &&
          (outcome.reason === ""
            ? "Nothing was sent: no chosen pane takes it now."
            : `Nothing was sent: ${outcome.reason}`)}
        {outcome.step === "done" && (
          <>
            <b>{`Sent to ${outcome.sent} of ${count(outcome.sent + outcome.failures.length, "pane", "panes")}.`}</b>
            These panes did not get the text. They stay chosen.
            <ul class="broadcast-failures mt-8" aria-label="Not sent">
              {outcome.failures.map(({ id, name, reason }) => (
                <li key={id}>
                  <TerminalText text={name} />
                  <span>{reason}</span>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </div>
  );
}
