import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { QueueSummary } from "../../../src/protocol/pane.ts";
import type { MessageList, QueuedMessage } from "../../../src/protocol/queue.ts";
import { isParked, type Pane } from "../../model/pane.ts";
import { useClient, usePart, useServer } from "../../state/client.ts";
import { Stops, type Stop } from "../../state/server/stops.ts";
import { WaitingMessages, type ListChange, type QueueFailure } from "../../state/server/waiting.ts";
import { Button, IconButton, Icon, StatusIcon } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { count } from "../../words/common.ts";
import { reasonText } from "../../words/refusals.ts";
import { Fault } from "../parts/query-status.tsx";
import { Ago } from "../parts/status.tsx";
import { copyText, TerminalText } from "../parts/text.tsx";
import { WriteText } from "../parts/write-text.tsx";

export function WaitingDock({ pane }: { readonly pane: Pane }): JSX.Element | null {
  const stops = usePart(Stops);
  const list = usePart(WaitingMessages).of(pane.id);
  const stop = stops.of(pane.id).value;
  const hasHead = stops.can(pane) || stop !== null;
  if (!hasHead && list === null) return null;
  return (
    <section class="docked waiting-dock stack relative" aria-label="Messages that wait">
      {hasHead && <WorkStatus pane={pane} stop={stop} />}
      {list !== null &&
        (list.lost === null ? (
          <WaitingList key={list.id} list={list} pane={pane} />
        ) : (
          <LostList list={list} />
        ))}
    </section>
  );
}

function WorkStatus({
  pane,
  stop,
}: {
  readonly pane: Pane;
  readonly stop: Stop | null;
}): JSX.Element {
  const stops = usePart(Stops);
  const server = useServer();
  const { outbox } = server;
  const step = stop?.step ?? null;
  const isWorking = stops.can(pane);
  const isOff = !server.can("type") || step === "stopping" || outbox.isHeld(pane.id);
  return (
    <div class="work flex gap-8 rigid">
      <StatusIcon shape={isWorking ? "working" : "idle"} />
      <p class="grow" role="status">
        <b>{statusText(stop, isWorking)}</b>{" "}
        {isWorking && step === null && <Ago at={pane.status_since} class="fs-13 text-2" />}
      </p>
      {isWorking && (
        <Button class="stop" disabled={isOff} onClick={() => void stops.press(pane)}>
          <Icon name="stop" />
          {step === "still" ? "Stop again" : "Stop"}
        </Button>
      )}
    </div>
  );
}

function statusText(stop: Stop | null, isWorking: boolean): string {
  if (stop?.step === "refused")
    return stop.reason === "" ? "Not stopped" : `Not stopped: ${reasonText(stop.reason)}`;
  if (stop?.step === "stopping") return "Stopping";
  if (stop?.step === "stopped" && !isWorking) return "Stopped";
  return stop?.step === "still" ? "Still working" : "Working";
}

function WaitingList({
  list,
  pane,
}: {
  readonly list: MessageList;
  readonly pane: Pane;
}): JSX.Element {
  const waiting = usePart(WaitingMessages);
  const [open, setOpen] = useState<string | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  const { messages } = list;
  // A reason that only a newer server knows has no text here.
  const held = isParked(pane) ? undefined : HOLD_REASONS[pane.queued?.held ?? ""];
  /** True when the change was made; else the list says why not. */
  const apply = async (change: Promise<ListChange>) => {
    const outcome = await change;
    setFailed(outcome.step === "done" ? null : notChanged(outcome));
    return outcome.step === "done";
  };
  return (
    <>
      <p class="waiting-note flex rigid fs-13 text-2">
        <b class="grow">{isParked(pane) ? "Sends after that" : "Sends when it is free"}</b>
        <span class="numbers">{messages.length}</span>
      </p>
      {held !== undefined && (
        <p class="waiting-note rigid fs-13 text-2" role="status">
          {held}
        </p>
      )}
      {failed !== null && (
        <p class="waiting-note rigid fs-13 text-error" role="alert">
          <TerminalText text={failed} />
        </p>
      )}
      {waiting.hasFailed.value && <p class="waiting-note rigid fs-13 text-2">Not updated</p>}
      <ol class="waiting-list scroll grid gap-6">
        {messages.map((message, at) => (
          <MessageRow
            key={message.id}
            {...{ pane, list, message, at, apply }}
            isOpen={open === message.id}
            onOpen={(isOpen) => setOpen(isOpen ? message.id : null)}
          />
        ))}
      </ol>
    </>
  );
}

function MessageRow(props: {
  readonly pane: Pane;
  readonly list: MessageList;
  readonly message: QueuedMessage;
  readonly at: number;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly apply: (change: Promise<ListChange>) => Promise<boolean>;
}): JSX.Element {
  const { pane, list, message, at, isOpen, onOpen, apply } = props;
  const { id, state, text, reason } = message;
  const waiting = usePart(WaitingMessages);
  const server = useServer();
  const { [id]: edited = null, ...others } = server.drafts.of(pane).value.edits;
  const setEdited = (words: string | null) =>
    server.drafts.set(pane, { edits: words === null ? others : { ...others, [id]: words } });
  const may = server.may("type");
  const isOff = !server.can("type") || state === "sending";
  const before = list.messages[at - 1];
  const takesNow = pane.queued?.sends_now === true || pane.status !== "working";
  const mayGoNow = takesNow && !server.outbox.isHeld(list.id);
  const save = async () => {
    if (edited === null || edited.trim() === "") return;
    if (!(await apply(waiting.edit(id, edited)))) return;
    // An edit that went on meanwhile stays, here and in other rows.
    const { [id]: now, ...rest } = server.drafts.of(pane).peek().edits;
    if (now === edited) server.drafts.set(pane, { edits: rest });
  };
  const act = (label: string, run: () => void, tone?: "danger" | "plain" | "primary") => (
    <Button tone={tone} disabled={isOff} onClick={run}>
      {label}
    </Button>
  );
  return (
    <li class="waiting-row grid fs-15 prose fill round-3">
      {may && (
        <IconButton
          icon="up"
          label={`Move up, ${at + 1} of ${list.messages.length}`}
          disabled={isOff || before === undefined}
          onClick={() => before !== undefined && void apply(waiting.move(id, before.id))}
        />
      )}
      {edited === null ? (
        <p class="lines">
          {text}
          {state !== "waiting" && (
            <small class="grid fs-13 text-2">
              {state === "sending" ? "Sending" : (reason ?? "May have arrived")}
            </small>
          )}
        </p>
      ) : (
        <WriteText
          label="Message"
          value={edited}
          onInput={setEdited}
          onSend={() => void save()}
          onEscape={() => setEdited(null)}
        />
      )}
      {edited === null && may && (
        <IconButton
          icon={isOpen ? "close" : "dots"}
          label={isOpen ? "Fold" : "Edit, delete, send now"}
          aria-expanded={isOpen}
          onClick={() => onOpen(!isOpen)}
        />
      )}
      {edited !== null && (
        <div class="waiting-acts flex wrap gap-6">
          {act("Save", () => void save(), "primary")}
          <Button onClick={() => setEdited(null)}>Cancel</Button>
        </div>
      )}
      {edited === null && isOpen && (
        <div class="waiting-acts flex wrap gap-6">
          {act("Edit", () => setEdited(text))}
          {act("Delete", () => void apply(waiting.remove(id)), "danger")}
          {mayGoNow && act("Send now", () => void apply(waiting.sendNow(list, message)), "plain")}
        </div>
      )}
    </li>
  );
}

/** Why nothing leaves now. */
const HOLD_REASONS: Readonly<Record<string, string>> = {
  asks: "It asks something first",
  error: "An error stands on its screen",
  parked: "Its limit is not over",
  typed: "Something is typed into its input line",
  unclear: "Its input line cannot be read",
  unknown: "The first may have arrived. Look at its terminal.",
} satisfies Record<NonNullable<QueueSummary["held"]>, string>;

function LostList({ list }: { readonly list: MessageList }): JSX.Element {
  const client = useClient();
  const waiting = usePart(WaitingMessages);
  const { messages, lost, name } = list;
  const may = client.server.may("type");
  const [failed, setFailed] = useState<string | null>(null);
  const texts = messages.map(({ text }) => text);
  const discard = async () => {
    for (const { id } of messages) {
      const outcome = await waiting.remove(id);
      if (outcome.step !== "done") return setFailed(notChanged(outcome));
    }
  };
  return (
    <Notice
      tone="error"
      title={`${count(messages.length, "message was", "messages were")} not sent`}
      role="alert"
    >
      <TerminalText
        text={`${name}: ${lost === "gone" ? "its pane is gone" : "another program runs in its pane now"}`}
      />
      <ul class="mt-4 lines">
        {messages.map(({ id, text }) => (
          <li key={id}>{text}</li>
        ))}
      </ul>
      <div class="actions">
        <Button onClick={() => copyText(client, texts.join("\n\n"))}>Copy</Button>
        {may && <Button onClick={() => void discard()}>Discard</Button>}
      </div>
      <Fault>{failed}</Fault>
    </Notice>
  );
}

export function LostMessages(): JSX.Element {
  const lost = usePart(WaitingMessages).lists.value.filter((list) => list.lost !== null);
  return (
    <>
      {lost.map((list) => (
        <div key={`${list.id} ${list.revision}`} class="boxed-notice">
          <LostList list={list} />
        </div>
      ))}
    </>
  );
}

/** Why a change of the list failed. */
export function notChanged(outcome: QueueFailure): string {
  if (outcome.step === "overtaken")
    return "It left before it was changed, or was taken away. Your words are here.";
  if (outcome.step === "uncertain")
    return "Nobody said whether this arrived. Look at the list before you do it again.";
  return outcome.reason === "" ? "Not changed" : `Not changed: ${reasonText(outcome.reason)}`;
}
