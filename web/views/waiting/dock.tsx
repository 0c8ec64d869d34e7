import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Queued } from "../../../src/protocol/pane.ts";
import type { MessageList } from "../../../src/protocol/queue.ts";
import { isParked, type Pane } from "../../model/pane.ts";
import { useServer, usePart } from "../../state/client.ts";
import { Stops, type Stop } from "../../state/server/stops.ts";
import { Waiting, type Changed } from "../../state/server/waiting.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { notDone, UNCERTAIN } from "../../words/refusals.ts";
import { Ago } from "../parts/ago.tsx";
import { TerminalText } from "../parts/text.tsx";
import { LostList } from "./lost.tsx";
import { MessageRow } from "./row.tsx";
import { useMoving } from "./moving.ts";

/** Above the composer: that an agent works and can be stopped, and what is sent when it is free. */
export function WaitingDock({ pane }: { readonly pane: Pane }): JSX.Element | null {
  const stops = usePart(Stops);
  const list = usePart(Waiting).of(pane.id);
  const stop = stops.of(pane.id).value;
  const hasHead = stops.can(pane) || stop !== null;
  if (!hasHead && list === null) return null;
  return (
    <section class="docked waiting-dock" aria-label="Messages that wait">
      {hasHead && <Work pane={pane} stop={stop} />}
      {list !== null &&
        (list.lost === null ? (
          <List key={list.id} list={list} pane={pane} />
        ) : (
          <LostList list={list} />
        ))}
    </section>
  );
}

function Work({ pane, stop }: { readonly pane: Pane; readonly stop: Stop | null }): JSX.Element {
  const stops = usePart(Stops);
  const server = useServer();
  const { outbox } = server;
  const step = stop?.step ?? null;
  const isWorking = stops.can(pane);
  const isOff = !server.can("type") || step === "stopping" || outbox.isHeld(pane.id);
  return (
    <div class="work">
      <StatusIcon shape={isWorking ? "working" : "idle"} />
      <p class="grow" role="status">
        <b>{saidOf(stop, isWorking)}</b>
        {isWorking && step === null && <Ago at={pane.status_since} />}
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

function saidOf(stop: Stop | null, isWorking: boolean): string {
  if (stop?.step === "refused")
    return stop.reason === "" ? "Not stopped" : `Not stopped: ${stop.reason}`;
  if (stop?.step === "stopping") return "Stopping";
  if (stop?.step === "stopped" && !isWorking) return "Stopped";
  return stop?.step === "still" ? "Still working" : "Working";
}

function List({ list, pane }: { readonly list: MessageList; readonly pane: Pane }): JSX.Element {
  const waiting = usePart(Waiting);
  const [open, setOpen] = useState<string | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  const { messages } = list;
  const held = pane.queued?.held ? heldWords(pane.queued.held) : null;
  const told = async (change: Promise<Changed>) => {
    const changed = await change;
    const isRefused = changed.step === "refused";
    if (changed.step === "done") setFailed(null);
    else setFailed(isRefused ? notDone(changed.reason) : UNCERTAIN);
    return changed.step === "done";
  };
  const moving = useMoving(messages, (id, before) => void told(waiting.move(list, id, before)));
  return (
    <>
      <p class="waiting-title">
        <b class="grow">{isParked(pane) ? "Sends after that" : "Sends when it is free"}</b>
        <span class="numbers">{messages.length}</span>
      </p>
      {held !== null && !isParked(pane) && (
        <p class="waiting-held" role="status">
          {held}
        </p>
      )}
      {failed !== null && (
        <p class="waiting-held wrong" role="alert">
          <TerminalText text={failed} />
        </p>
      )}
      {waiting.hasFailed.value && <p class="waiting-held">Not updated</p>}
      <ol class="waiting-list scroll" ref={moving.place}>
        {messages.map((message, at) => (
          <MessageRow
            key={message.id}
            {...{ pane, list, message, at, told }}
            grip={moving.gripOf(message.id)}
            isMoved={moving.moved === message.id}
            sendsNow={pane.queued?.sends_now === true || pane.status !== "working"}
            isOpen={open === message.id}
            onOpen={(isOpen) => setOpen(isOpen ? message.id : null)}
          />
        ))}
      </ol>
    </>
  );
}

/** Why nothing leaves now. */
const HELD: Readonly<Record<NonNullable<Queued["held"]>, string>> = {
  asks: "It asks something first",
  error: "An error stands on its screen",
  parked: "Its limit is not over",
  typed: "Something is typed into its input line",
  unclear: "Its input line cannot be read",
  unknown: "The first may have arrived. Look at its terminal.",
};

/** Null for a reason of a newer server. */
const heldWords = (held: string): string | null =>
  held in HELD ? HELD[held as keyof typeof HELD] : null;
