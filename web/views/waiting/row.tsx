import type { JSX } from "preact";
import type { MessageList, QueuedMessage } from "../../../src/protocol/queue.ts";
import type { Pane } from "../../model/pane.ts";
import { useServer, usePart } from "../../state/client.ts";
import { Waiting, type Changed } from "../../state/server/waiting.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { waiting as words } from "../../words/waiting.ts";
import { WriteText } from "../parts/write-field.tsx";

/** One message that waits, with what can be done with it. */
export function MessageRow(props: {
  readonly pane: Pane;
  readonly list: MessageList;
  readonly message: QueuedMessage;
  readonly at: number;
  readonly grip: JSX.IntrinsicElements["button"];
  readonly isMoved: boolean;
  readonly isOpen: boolean;
  /** It can be typed into the pane now. */
  readonly sendsNow: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  /** Says what became of a change; true when it was done. */
  readonly told: (change: Promise<Changed>) => Promise<boolean>;
}): JSX.Element {
  const { pane, list, message, at, grip, isMoved, isOpen, sendsNow, onOpen, told } = props;
  const waiting = usePart(Waiting);
  const server = useServer();
  const { drafts, outbox } = server;
  const { [message.id]: edited = null, ...others } = drafts.of(pane).value.edits;
  const setEdited = (text: string | null) =>
    drafts.set(pane, { edits: text === null ? others : { ...others, [message.id]: text } });
  const isSending = message.state === "sending";
  const isOff = !server.can("type") || isSending;
  const count = list.messages.length;
  const save = async () => {
    if (
      edited !== null &&
      edited.trim() !== "" &&
      (await told(waiting.edit(list, message.id, edited)))
    )
      setEdited(null);
  };
  return (
    <li class={`waiting-row ${isMoved ? "moved" : ""}`}>
      <button type="button" class="grip" aria-label={words.move(at + 1, count)} {...grip}>
        <Icon name="grip" class="small" />
      </button>
      {edited === null ? (
        <p>
          {message.text}
          {message.state !== "waiting" && (
            <small>{isSending ? words.sending : (message.reason ?? words.maybe)}</small>
          )}
        </p>
      ) : (
        <WriteText
          label={words.text}
          value={edited}
          onInput={setEdited}
          onSend={() => void save()}
          onEscape={() => setEdited(null)}
        />
      )}
      <IconButton
        icon={isOpen ? "close" : "dots"}
        label={isOpen ? words.fold : words.more}
        aria-expanded={isOpen}
        onClick={() => onOpen(!isOpen)}
      />
      {isOpen && edited === null && (
        <div class="waiting-acts">
          <Button disabled={isOff} onClick={() => setEdited(message.text)}>
            {words.edit}
          </Button>
          <Button
            tone="danger"
            disabled={isOff}
            onClick={() => void told(waiting.remove(list, message.id))}
          >
            {words.remove}
          </Button>
          {sendsNow && (
            <Button
              tone="plain"
              disabled={isOff || outbox.isHeld(list.id)}
              onClick={() => void told(waiting.sendNow(list, message.id))}
            >
              {words.sendNow}
            </Button>
          )}
        </div>
      )}
      {isOpen && edited !== null && (
        <div class="waiting-acts">
          <Button
            tone="primary"
            disabled={isOff || edited.trim() === ""}
            onClick={() => void save()}
          >
            {words.save}
          </Button>
          <Button onClick={() => setEdited(null)}>{words.cancel}</Button>
        </div>
      )}
    </li>
  );
}
