import type { JSX, RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { SeenAgent, SeenMessage } from "../../../src/protocol/tolerant-agents.ts";
import { agentHash, paneHash } from "../../state/browser/router.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Icon } from "../../ui/icons.tsx";
import { said as words } from "../../words/said.ts";
import { Skeletons } from "../parts/skeletons.tsx";
import { ListNotice } from "./list.tsx";
import { Messages } from "./message.tsx";
import { useWatch } from "./use.ts";

const GONE = 404;

/** A chat around one of its messages, which a search has found; it grows at both ends. */
export function AgentChatAround(props: {
  readonly workspace: Workspace;
  readonly agent: SeenAgent;
  readonly at: string;
}): JSX.Element {
  const { workspace, agent, at } = props;
  const { router } = useBrowser();
  const { acts, config } = useServer();
  const around = useMemo(() => workspace.around(agent.id, at), [workspace, agent.id, at]);
  useWatch(around);
  const place = useRef<HTMLDivElement>(null);
  const shown = around.value.value;
  const failure = around.failure.value;
  useKeptPlace(place, shown?.messages ?? null);
  const toEnd = () =>
    router.replace(
      router.route.peek().screen === "pane"
        ? paneHash(router.openPane.peek() ?? "", "chat")
        : agentHash(agent.id),
    );
  // Who has just written wants to see it.
  const step = acts.written(agent.pane_id ?? "").value?.step ?? null;
  useEffect(() => {
    if (step === "sending") toEnd();
  }, [step]);
  const program = config.labels.value[agent.runtime] ?? agent.runtime;
  const isGone = failure?.kind === "refused" && failure.status === GONE;
  return (
    <div class="chat searched around" ref={place}>
      <div class="chat-filters around-head">
        <span>{words.atMessage}</span>
        <Button tone="plain" onClick={toEnd}>
          <Icon name="down" class="small" />
          {words.toEnd}
        </Button>
      </div>
      {isGone ? (
        <Empty title={words.gone} isStatus />
      ) : (
        <ListNotice
          list={{ items: around.value, failure: around.failure, reload: () => around.reload() }}
          isDown={false}
        />
      )}
      {shown === null && failure === null && <Skeletons />}
      {shown !== null && (
        <>
          {shown.older !== null && (
            <p class="older">
              <Button
                tone="plain"
                disabled={around.isLoading.value}
                onClick={() => void around.older()}
              >
                {words.olderMessages}
              </Button>
            </p>
          )}
          {partsOf(shown.messages, at).map((messages) => (
            <div
              key={messages[0]?.id}
              class={messages[0]?.id === at ? "found-message" : undefined}
              aria-current={messages[0]?.id === at ? "location" : undefined}
            >
              <Messages block={{ key: messages[0]?.id ?? "", messages }} program={program} />
            </div>
          ))}
          {shown.newer !== null && (
            <p class="older">
              <Button
                tone="plain"
                disabled={around.isLoading.value}
                onClick={() => void around.newer()}
              >
                {words.newerMessages}
              </Button>
            </p>
          )}
        </>
      )}
    </div>
  );
}

/** In three parts, with the message itself in one of its own. */
function partsOf(messages: readonly SeenMessage[], id: string): readonly SeenMessage[][] {
  const at = messages.findIndex((message) => message.id === id);
  const parts = [messages.slice(0, at), messages.slice(at, at + 1), messages.slice(at + 1)];
  return at < 0 ? [[...messages]] : parts.filter((part) => part.length > 0);
}

/** The message comes into the middle once; what is added above it moves nothing. */
function useKeptPlace(
  place: RefObject<HTMLElement | null>,
  messages: readonly SeenMessage[] | null,
): void {
  const known = useRef<{ readonly oldest: string; readonly height: number } | null>(null);
  useLayoutEffect(() => {
    const scroller = place.current?.closest(".scroll");
    const oldest = messages?.[0]?.id;
    if (scroller == null || oldest === undefined) return;
    if (known.current === null)
      scroller.querySelector(".found-message")?.scrollIntoView({ block: "center" });
    else if (known.current.oldest !== oldest)
      scroller.scrollTop += scroller.scrollHeight - known.current.height;
    known.current = { oldest, height: scroller.scrollHeight };
  }, [messages]);
}
