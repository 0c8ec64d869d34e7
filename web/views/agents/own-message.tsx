import type { JSX } from "preact";
import type { SeenAgent, SeenMessage } from "../../../src/protocol/tolerant-agents.ts";
import { useClient } from "../../state/client.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { chat as words } from "../../words/chat.ts";
import { timeOfDay } from "../../words/common.ts";
import { Notice } from "../../ui/notice.tsx";
import { TerminalText } from "../parts/text.tsx";

const SHAPES = {
  submitting: "working",
  sent: "ok",
  observed: "ok",
  unknown: "stale",
  failed: "error",
} as const satisfies Record<SeenMessage["status"], string>;

/** How a message that was sent from here fared. */
export function MessageState(props: {
  readonly status: SeenMessage["status"];
  /** Epoch seconds. */
  readonly at: number;
}): JSX.Element {
  const { status, at } = props;
  return (
    <p class="message-state">
      <StatusIcon shape={SHAPES[status]} />
      <span class="numbers">{words.state(words.states[status], timeOfDay(at))}</span>
    </p>
  );
}

/** What was written here and does not stand among the messages yet, at their end. */
export function OwnMessage(props: {
  readonly workspace: Workspace;
  readonly agent: SeenAgent;
  readonly messages: readonly SeenMessage[];
}): JSX.Element | null {
  const { workspace, agent, messages } = props;
  const client = useClient();
  const draft = workspace.outgoing.draft(agent.id).value;
  const letter = workspace.outgoing.of(agent.id).value;
  const sent = letter?.step === "sent" ? letter.message : null;
  const leaving = draft?.leaving ?? null;
  const isUncertain = letter?.step === "uncertain";
  const listed = messages.some(
    ({ id, client_message_id: name }) =>
      id === sent?.id || (leaving !== null && name !== null && name === draft?.id),
  );
  if (listed && !isUncertain) return null;
  const status = sent?.status ?? (isUncertain ? "unknown" : "submitting");
  const text = sent?.content ?? (leaving === null ? null : (draft?.text ?? null));
  if (text === null) return null;
  return (
    <ol class="messages">
      <li class={`mine ${sent === null ? "unsure" : ""}`}>
        {!listed && (
          <>
            <p class="bubble message-text" dir="auto">
              <TerminalText text={text} />
            </p>
            <div role="status">
              <MessageState status={status} at={sent?.created_at ?? leaving?.at ?? 0} />
            </div>
          </>
        )}
        {isUncertain && leaving !== null && (
          <>
            <Notice icon="eye" tone="stale" title={words.uncertainTitle} isAlert>
              {words.uncertainText}
            </Notice>
            <div class="actions">
              <Button onClick={() => client.inspect(leaving.paneId)}>
                <Icon name="terminal" />
                {words.inspect}
              </Button>
            </div>
          </>
        )}
      </li>
    </ol>
  );
}
