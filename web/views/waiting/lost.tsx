import type { JSX } from "preact";
import type { MessageList } from "../../../src/protocol/queue.ts";
import { useClient, usePart } from "../../state/client.ts";
import { Waiting } from "../../state/server/waiting.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { copyText } from "../parts/copy.ts";
import { TerminalText } from "../parts/text.tsx";

/** What will not be sent any more, to be copied. */
export function LostList({ list }: { readonly list: MessageList }): JSX.Element {
  const client = useClient();
  const waiting = usePart(Waiting);
  const { messages, lost, name } = list;
  const texts = messages.map(({ text }) => text);
  const discard = async () => {
    for (const { id } of messages) await waiting.remove(list, id);
  };
  return (
    <Notice
      icon="warning"
      tone="error"
      title={
        messages.length === 1
          ? "1 message was not sent"
          : `${messages.length} messages were not sent`
      }
      isAlert
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
        <Button onClick={() => void discard()}>Discard</Button>
      </div>
    </Notice>
  );
}

/** All lists that are lost, whatever became of their panes. */
export function LostMessages(): JSX.Element {
  const lost = usePart(Waiting).lists.value.filter((list) => list.lost !== null);
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
