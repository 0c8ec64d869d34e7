import type { ComponentChildren, JSX } from "preact";
import { useRef } from "preact/hooks";
import type { SeenAgent } from "../../../src/protocol/tolerant-agents.ts";
import { doingOf, shapeOfAgent } from "../../model/lifecycle.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import type { AgentState } from "../../state/server/agents/agent.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { StatusIcon } from "../../ui/icons.tsx";
import { Notice } from "../../ui/notice.tsx";
import { agents as words } from "../../words/agents.ts";
import { common, timeOfDay } from "../../words/common.ts";
import { Banner } from "../connection/banner.tsx";
import { more } from "../more.tsx";
import { Failed } from "../parts/boundary.tsx";
import { Head } from "../parts/head.tsx";
import { SheetButton } from "../parts/sheet-button.tsx";
import { useKeptPlace } from "../parts/place.tsx";
import { Skeletons } from "../parts/skeletons.tsx";
import { TerminalText } from "../parts/text.tsx";
import { AgentChat } from "./chat.tsx";
import { AgentNow } from "./now.tsx";
import { StandingNotice } from "./standing.tsx";
import { lettersOf, nameOf, useBoard, useWatch, useWorkspace } from "./use.ts";

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
    <Body label="Chat" list={null}>
      {switched.hasFailed.value ? <Failed onRetry={() => void switched.retry()} /> : <Skeletons />}
    </Body>
  );
}

function Chat(props: {
  readonly workspace: Workspace;
  readonly state: AgentState;
  readonly at: string | null;
}): JSX.Element {
  const { workspace, state, at } = props;
  useWatch(state.query);
  const agent = state.agent.value;
  const shown = { workspace, state, agent };
  return (
    <Body label="Chat" list={at === null ? `chat ${state.id}` : null}>
      {agent === null ? (
        <Missing state={state} />
      ) : (
        <>
          <AgentNotices {...shown} agent={agent} />
          <AgentChat {...shown} agent={agent} at={at} />
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
    <div class="boxed-notice">
      <Notice icon="warning" tone="error" title="This agent could not be loaded" isAlert>
        The rest of panewatch goes on.
        <div class="actions">
          <Button onClick={() => void state.query.reload()}>{common.retry}</Button>
        </div>
      </Notice>
    </div>
  );
}

/** What a person should know before trusting what is said. */
function AgentNotices(props: {
  readonly workspace: Workspace;
  readonly state: AgentState;
  readonly agent: SeenAgent;
}): JSX.Element | null {
  const { workspace, state, agent } = props;
  const { clock } = useBrowser();
  const isOld = workspace.isDown.value || state.query.failure.value !== null;
  const isDegraded = agent.extraction_health !== "ok";
  if (!isOld && !isDegraded) return null;
  const readAt = Math.min(agent.last_event_at ?? agent.updated_at, clock.now.value);
  return (
    <div class="boxed-notice">
      {isOld && (
        <Notice icon="clock" tone="stale" title={`Not updated since ${timeOfDay(readAt)}`}>
          What you see may be old. Nothing can be answered here now.
          <div class="actions">
            <Button onClick={() => void state.query.reload()}>{common.retry}</Button>
          </div>
        </Notice>
      )}
      {isDegraded && (
        <Notice icon="info" tone="stale" title="Only parts of its log could be read">
          Some lines were too long or not understood. What you see may be incomplete; the terminal
          shows all of it.
        </Notice>
      )}
    </div>
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
  return (
    <main class="pane" id="content" aria-label={name}>
      <Head
        title={<TerminalText text={name} />}
        back={isNarrow ? { label: "Back" } : null}
        tile={
          agent !== null && (
            <span class="tile" aria-hidden="true">
              {lettersOf(agent)}
            </span>
          )
        }
        second={
          agent !== null && (
            <>
              <StatusIcon shape={shapeOfAgent(agent, null)} />
              <span>{doingWord(agent)} · </span>
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

function doingWord(agent: SeenAgent): string {
  const doing = doingOf(agent, null);
  return doing === "parked" ? common.status.parked : words.lifecycle[doing];
}

/** What is known of the work of a session, beside its chat or its screen. */
export function AgentFacts({ id }: { readonly id: string }): JSX.Element | null {
  const workspace = useWorkspace();
  const state = workspace?.agent(id) ?? null;
  useWatch(state?.query ?? null);
  useBoard(workspace);
  const agent = state?.agent.value ?? null;
  return workspace === null || agent === null ? null : <AgentNow {...{ workspace, agent }} />;
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
  readonly label: string;
  /** Null for one that begins where its address says. */
  readonly list: string | null;
  readonly children: ComponentChildren;
}): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  useKeptPlace(scroller, props.list);
  return (
    <div
      ref={scroller}
      class="scroll agent-body"
      tabIndex={0}
      role="region"
      aria-label={props.label}
    >
      {props.children}
    </div>
  );
}
