import type { ComponentChildren, JSX } from "preact";
import { useRef } from "preact/hooks";
import { shapeOfAgent } from "../../model/lifecycle.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import type { AgentState } from "../../state/server/agents/agent.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { StatusIcon } from "../../ui/icons.tsx";
import { Notice } from "../../ui/notice.tsx";
import { common, timeOfDay } from "../../words/common.ts";
import { Banner } from "../connection/banner.tsx";
import { more } from "../more.tsx";
import { Failed } from "../parts/boundary.tsx";
import { Head } from "../parts/head.tsx";
import { SheetButton } from "../parts/links.tsx";
import { useKeptPlace } from "../parts/place.tsx";
import { Skeletons } from "../parts/skeletons.tsx";
import { TerminalText } from "../parts/text.tsx";
import { AgentTile } from "../parts/tile.tsx";
import { AgentChat } from "./chat.tsx";
import { AgentNow } from "./now.tsx";
import { StandingNotice } from "./standing.tsx";
import { nameOf, useReview, useWatch, useWorkspace } from "./use.ts";
import type { SessionProps } from "./word.tsx";

interface Opened {
  readonly id: string;
  /** The message that it is opened around. */
  readonly at: string | null;
}

/** What was said in a session, and what it did: a tab of the page of its pane. */
export function ChatTab({ id, at }: Opened): JSX.Element {
  const workspace = useWorkspace();
  const { workspace: switched } = useServer();
  if (workspace !== null) return <Chat workspace={workspace} state={workspace.agent(id)} at={at} />;
  return (
    <Body list={null}>
      {switched.hasFailed.value ? <Failed onRetry={() => void switched.retry()} /> : <Skeletons />}
    </Body>
  );
}

function Chat({ workspace, state, at }: Omit<SessionProps, "agent"> & { at: string | null }) {
  useWatch(state.query);
  const agent = state.agent.value;
  return (
    <Body list={at === null ? `chat ${state.id}` : null}>
      {agent === null ? (
        <Missing state={state} />
      ) : (
        <>
          <AgentNotices {...{ workspace, state, agent }} />
          <AgentChat {...{ workspace, state, agent, at }} />
        </>
      )}
    </Body>
  );
}

function Missing({ state }: { readonly state: AgentState }): JSX.Element {
  const failure = state.query.failure.value;
  if (failure === null) return <Skeletons />;
  if (failure.kind === "refused" && failure.status === 404)
    return (
      <Empty title="No such agent" text="Its history is older than what is kept, or was deleted." />
    );
  return (
    <Notice
      icon="warning"
      tone="error"
      title="This agent could not be loaded"
      isAlert
      isBoxed
      actions={<Button onClick={() => void state.query.reload()}>{common.retry}</Button>}
    >
      The rest of panewatch goes on.
    </Notice>
  );
}

/** What a person should know before trusting what is said. */
function AgentNotices({ workspace, state, agent }: SessionProps): JSX.Element {
  const { clock } = useBrowser();
  const isOld = workspace.isDown.value || state.query.failure.value !== null;
  const readAt = Math.min(agent.last_event_at ?? agent.updated_at, clock.now.value);
  return (
    <>
      {isOld && (
        <Notice
          tone="stale"
          title={`Not updated since ${timeOfDay(readAt)}`}
          isBoxed
          actions={<Button onClick={() => void state.query.reload()}>{common.retry}</Button>}
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
    </>
  );
}

/** A session that is in no pane for certain: its chat, and the way on. */
export function AgentScreen({ id, at }: Opened): JSX.Element {
  const { config, workspace: switched } = useServer();
  const { layout } = useBrowser();
  const agent = useWorkspace()?.known(id) ?? null;
  const { step } = switched.facts.value;
  const isOff = config.current.value !== null && step !== "on" && step !== "starting";
  const isNarrow = layout.columns.value === 1;
  const name = agent === null ? "Agent" : nameOf(agent, null);
  const shape = agent === null ? "unknown" : shapeOfAgent(agent, null);
  return (
    <main class="pane" id="content" aria-label={name}>
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
      <div class="pane-body">
        {isOff ? (
          <Empty title="The agent workspace is off" text="It is switched on in the settings." />
        ) : (
          <ChatTab key={id} id={id} at={at} />
        )}
      </div>
      {!isOff && agent !== null && (
        <footer class="pane-foot">
          <more.ParkedAgent agent={agent} class="docked" />
          <StandingNotice agent={agent} />
        </footer>
      )}
    </main>
  );
}

/** What is known of the work of a session, beside its chat or its screen. */
export function AgentFacts({ id }: { readonly id: string }): JSX.Element | null {
  const workspace = useWorkspace();
  const state = workspace?.agent(id) ?? null;
  useWatch(state?.query ?? null);
  useReview(workspace);
  const agent = state?.agent.value ?? null;
  return workspace === null || agent === null ? null : <AgentNow agent={agent} />;
}

/** The third column beside a session without a pane. */
export function AgentInspector({ id }: { readonly id: string }): JSX.Element {
  return (
    <aside class="column inspector scroll" tabIndex={0} aria-label="Details">
      <AgentFacts key={id} id={id} />
    </aside>
  );
}

function Body(props: {
  /** Null for one that begins where its address says. */
  readonly list: string | null;
  readonly children: ComponentChildren;
}): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  useKeptPlace(scroller, props.list);
  return (
    <div
      ref={scroller}
      class="scroll grow agent-body ground"
      tabIndex={0}
      role="region"
      aria-label="Chat"
    >
      {props.children}
    </div>
  );
}
