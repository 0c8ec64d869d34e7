import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { shapeOfAgent } from "../../model/lifecycle.ts";
import { isGone } from "../../net/api.ts";
import { agentHash } from "../../state/browser/router.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { StatusIcon } from "../../ui/icons.tsx";
import { Empty } from "../../ui/notice.tsx";
import { Notice } from "../../ui/notice.tsx";
import { common } from "../../words/common.ts";
import { momentText } from "../../words/times.ts";
import { Banner } from "../parts/screen-header.tsx";
import { ParkedAgent } from "../parked/parked.tsx";
import { QueryStatus } from "../parts/query-status.tsx";
import { Skeletons } from "../parts/boundary.tsx";
import { Head } from "../parts/head.tsx";
import { SheetButton } from "../parts/links.tsx";
import { Scroll } from "../parts/scroll.tsx";
import { TerminalText } from "../parts/text.tsx";
import { AgentTile } from "../parts/status.tsx";
import { StandingNotice } from "./binding.tsx";
import { AgentChat } from "./chat.tsx";
import { nameOf, useWatch, useWorkspace } from "./use.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";

interface Opened {
  readonly id: string;
  /** The message that it is opened around: it begins where its address says. */
  readonly at: string | null;
}

/** What was said in a session, and what it did: a tab of the page of its pane. */
export function ChatTab({ id, at }: Opened): JSX.Element {
  const workspace = useWorkspace();
  return (
    <Scroll
      class="grow agent-body ground"
      list={at === null ? `chat ${id}` : null}
      label="Chat"
      isReached
    >
      {workspace === null ? <Skeletons /> : <Chat {...{ workspace, id, at }} />}
    </Scroll>
  );
}

function Chat({ workspace, id, at }: Opened & { readonly workspace: Workspace }): JSX.Element {
  const { clock } = useBrowser();
  const state = workspace.agent(id);
  const { query } = state;
  useWatch(query);
  const agent = state.agent.value;
  if (agent === null && isGone(query.failure.value))
    return (
      <Empty title="No such agent" text="Its history is older than what is kept, or was deleted." />
    );
  if (agent === null) return <QueryStatus query={query} failed="This agent could not be loaded" />;
  const isOld = workspace.isDown.value || query.failure.value !== null;
  const readAt = Math.min(agent.last_event_at ?? agent.updated_at, clock.now.value);
  return (
    <>
      {isOld && (
        <Notice
          tone="stale"
          title={`Not updated since ${momentText(readAt, clock.now.value)}`}
          isBoxed
          actions={<Button onClick={() => void query.reload()}>{common.retry}</Button>}
        >
          What you see may be old. Nothing can be answered here now.
        </Notice>
      )}
      {agent.extraction_health !== "ok" && (
        <Notice icon="info" tone="stale" title="Only parts of its log could be read" isBoxed>
          Some lines were too long or not understood. What you see may be incomplete; the terminal
          shows all of it.
        </Notice>
      )}
      <AgentChat {...{ state, agent, at }} />
    </>
  );
}

/** A session that is in no pane for certain: its chat, and the way on. */
export function AgentScreen({ id, at }: Opened): JSX.Element {
  const { config, workspace: switched } = useServer();
  const { layout, router } = useBrowser();
  const workspace = useWorkspace();
  const agent = workspace?.agentRow(id) ?? null;
  const part = router.openAgent.value?.part ?? null;
  useEffect(() => {
    if (workspace === null || part === null) return;
    workspace.agent(id).part.value = part;
    router.replace(agentHash(id));
  }, [workspace, id, part]);
  const { step } = switched.facts.value;
  const isOff = config.current.value !== null && step !== "on" && step !== "starting";
  const isNarrow = layout.columns.value === 1;
  const name = agent === null ? "Agent" : nameOf(agent, null);
  const shape = agent === null ? "unknown" : shapeOfAgent(agent, null);
  return (
    <main class="pane stack relative" id="content" aria-label={name}>
      <Head
        title={<TerminalText text={name} />}
        back={isNarrow ? { label: "Back" } : null}
        tile={agent !== null && <AgentTile agent={agent} />}
        second={
          agent !== null && (
            <>
              <StatusIcon shape={shape} />
              <span>{common.status[shape]} · </span>
              <TerminalText
                text={config.labels.value[agent.runtime] ?? agent.runtime}
                class="place"
              />
            </>
          )
        }
        end={<SheetButton icon="dots" label="More" opens="agent-menu" />}
      />
      {isNarrow && <Banner />}
      <div class="pane-body fills relative">
        {isOff ? (
          <Empty title="The agent workspace is off" text="It is switched on in the settings." />
        ) : (
          <ChatTab key={id} id={id} at={at} />
        )}
      </div>
      {!isOff && agent !== null && (
        <footer class="pane-foot relative rigid rule">
          <ParkedAgent agent={agent} class="docked stack relative" />
          <StandingNotice agent={agent} />
        </footer>
      )}
    </main>
  );
}
