import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { appearanceOf, isAgent, type Pane } from "../../model/pane.ts";
import { cleanInput } from "../../model/text.ts";
import { allowsAnswers } from "../../net/connection.ts";
import { usePart, useServer } from "../../state/client.ts";
import {
  failedText,
  exclusionReason,
  MAX_RECIPIENTS,
  recipientsOf,
  Broadcast,
  type BroadcastOutcome,
} from "../../state/server/broadcast.ts";
import { Button } from "../../ui/button.tsx";
import { SwitchItem } from "../../ui/item.tsx";
import { Notice } from "../../ui/notice.tsx";
import { RowParts, Section } from "../../ui/list.tsx";
import { Heading } from "../../ui/heading.tsx";
import { count } from "../../words/common.ts";
import { usePress } from "../answer/press.ts";
import { HostChip } from "../hosts/hosts.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { PanePath, TerminalText } from "../parts/text.tsx";
import { Tile } from "../parts/status.tsx";
import { WriteText } from "../parts/write-text.tsx";

const REASONS = {
  waiting: "Waits for an answer; text would answer it",
  offline: "Offline",
  stale: "Cannot be read now",
  guarded: "Takes guarded input only",
  held: "Something may have arrived there; look at its terminal first",
  read_only: "Takes no input",
};

/** Panes that cannot get the text are listed with the reason. */
export function BroadcastSheet(): JSX.Element {
  const server = useServer();
  const { connection, panes } = server;
  const isHeld = (id: string) => server.outbox.isHeld(id);
  const broadcast = usePart(Broadcast);
  const field = useRef<HTMLTextAreaElement>(null);
  const all = panes.all.value;
  const text = broadcast.text.value;
  const reasons = new Map(all.map((pane) => [pane, exclusionReason(pane, isHeld)]));
  const taking = all.filter((pane) => reasons.get(pane) === null);
  const leftOut = all.filter((pane) => !taking.includes(pane));
  const recipients = recipientsOf(all, broadcast.chosen.value, isHeld);
  const isOffline = !allowsAnswers(connection.value.phase);
  const panesText = count(recipients.length, "pane", "panes");
  const sendLabel = recipients.length === 0 ? "Choose panes" : `Send to ${panesText}`;
  const note = noteFor(recipients, text, isOffline);
  const isSending = broadcast.outcome.value.step === "sending";
  const press = usePress(
    () => recipients.map(({ id }) => id),
    (seen) => void broadcast.send(seen),
  );
  return (
    <Sheet
      title="Broadcast"
      initialFocus={field}
      footer={
        <>
          {note !== null && (
            <p class="mb-8 fs-13 text-2" role="status">
              {note}
            </p>
          )}
          <Button
            tone="primary"
            size="block"
            disabled={recipients.length === 0 || text === "" || isOffline || isSending}
            {...press}
          >
            {isSending ? `Sending to ${panesText}` : sendLabel}
          </Button>
        </>
      }
    >
      <SendReport outcome={broadcast.outcome.value} />
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
      <RecipientChoice panes={taking} />
      {leftOut.length > 0 && (
        <Section kind="sheet" title="Left out" count={leftOut.length}>
          <RecipientRows
            panes={leftOut}
            whyNot={(pane) => REASONS[reasons.get(pane) ?? "read_only"]}
          />
        </Section>
      )}
    </Sheet>
  );
}

function RecipientChoice({ panes }: { readonly panes: readonly Pane[] }): JSX.Element {
  const broadcast = usePart(Broadcast);
  const agents = panes.filter(isAgent);
  const others = panes.filter((pane) => !isAgent(pane));
  const of = (appearance: string) => agents.filter((pane) => appearanceOf(pane) === appearance);
  const idle = [...of("idle"), ...of("finished")];
  const picks = [
    [`Working agents ${of("working").length}`, of("working"), of("working").length === 0],
    [`Idle agents ${idle.length}`, idle, idle.length === 0],
    ["None", [], broadcast.chosen.value.size === 0],
  ] as const;
  return (
    <Section
      kind="sheet"
      title="Send to"
      end={picks.map(([label, some, isOff]) => (
        <Button
          key={label}
          size="small"
          disabled={isOff}
          onClick={() => broadcast.choose(some.map(({ id }) => id))}
        >
          {label}
        </Button>
      ))}
    >
      {panes.length === 0 && <p class="hint">No pane takes a broadcast now.</p>}
      <RecipientRows panes={agents} />
      {others.length > 0 && (
        <>
          <Heading kind="sheet" level={4} title="Shells and programs" count={others.length} />
          <RecipientRows panes={others} />
        </>
      )}
    </Section>
  );
}

/** Panes with a checkbox, or with the reason why they get nothing. */
function RecipientRows(props: {
  readonly panes: readonly Pane[];
  readonly whyNot?: (pane: Pane) => string;
}): JSX.Element {
  const { panes, whyNot } = props;
  const broadcast = usePart(Broadcast);
  const Box = whyNot === undefined ? "label" : "div";
  const tick = ({ id }: Pane) => (
    <input
      type="checkbox"
      class="checkbox"
      checked={broadcast.chosen.value.has(id)}
      onChange={() => broadcast.toggle(id)}
    />
  );
  return (
    <ul class="plain-rows ruled">
      {panes.map((pane) => (
        <li key={pane.id} class="row-item">
          <Box class={`row ${whyNot === undefined ? "" : "off"}`}>
            <RowParts
              lead={
                <>
                  {whyNot === undefined ? tick(pane) : <span class="checkbox" />}
                  <Tile pane={pane} status />
                </>
              }
              title={<TerminalText text={pane.name} />}
              second={
                whyNot === undefined ? (
                  <PanePath pane={pane} />
                ) : (
                  <>
                    <HostChip pane={pane} />
                    {whyNot(pane)}
                  </>
                )
              }
            />
          </Box>
        </li>
      ))}
    </ul>
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

function SendReport({ outcome }: { readonly outcome: BroadcastOutcome }): JSX.Element | null {
  if (outcome.step === "writing" || outcome.step === "sending") return null;
  if (outcome.step !== "done")
    return (
      <Notice tone="error" role="alert">
        {outcome.step === "uncertain"
          ? "The connection dropped while the text was being sent. Some panes may have it: look at them before you send it again."
          : `Nothing was sent: ${outcome.reason || "no chosen pane takes it now."}`}
      </Notice>
    );
  const { sent, failures } = outcome;
  if (failures.length === 0)
    return (
      <Notice tone="good" role="status">
        {`Sent to ${count(sent, "pane", "panes")}.`}
      </Notice>
    );
  const all = count(sent + failures.length, "pane", "panes");
  return (
    <Notice tone="error" role="alert" title={`Sent to ${sent} of ${all}.`}>
      Those that did not get the text stay chosen.
      <ul class="broadcast-failures mt-8" aria-label="Not sent">
        {failures.map((failed) => (
          <li key={failed.id}>
            <TerminalText text={failed.name} />
            <span>{failedText(failed)}</span>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
