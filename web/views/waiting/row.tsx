import type { JSX } from "preact";
import type { MessageList, QueuedMessage } from "../../../src/protocol/queue.ts";
import type { Pane } from "../../model/pane.ts";
import { useServer, usePart } from "../../state/client.ts";
import { Waiting, type Changed } from "../../state/server/waiting.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
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
      <button type="button" class="grip" aria-label={`Move, ${at + 1} of ${count}`} {...grip}>
        <Icon name="grip" class="small" />
      </button>
      {edited === null ? (
        <p>
          {message.text}
          {message.state !== "waiting" && (
            <small>{isSending ? "Sending" : (message.reason ?? "May have arrived")}</small>
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
      <IconButton
        icon={isOpen ? "close" : "dots"}
        label={isOpen ? "Fold" : "Edit, delete, send now"}
        aria-expanded={isOpen}
        onClick={() => onOpen(!isOpen)}
      />
      {isOpen && edited === null && (
        <div class="waiting-acts">
          <Button disabled={isOff} onClick={() => setEdited(message.text)}>
            Edit
          </Button>
          <Button
            tone="danger"
            disabled={isOff}
            onClick={() => void told(waiting.remove(list, message.id))}
          >
            Delete
          </Button>
          {sendsNow && (
            <Button
              tone="plain"
              disabled={isOff || outbox.isHeld(list.id)}
              onClick={() => void told(waiting.sendNow(list, message.id))}
            >
              Send now
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
            Save
          </Button>
          <Button onClick={() => setEdited(null)}>Cancel</Button>
        </div>
      )}
    </li>
  );
}
