import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { standingOf } from "../../model/binding.ts";
import { doingOf, shapeOfAgent } from "../../model/lifecycle.ts";
import type { Pane } from "../../model/pane.ts";
import type { SeenAgent } from "../../../src/protocol/tolerant-agents.ts";
import { AGENT_PARTS, agentHash, changesHash, type AgentPart } from "../../state/browser/router.ts";
import type { AgentState } from "../../state/server/agents/agent.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { StatusIcon } from "../../ui/icons.tsx";
import { agents as words } from "../../words/agents.ts";
import { binding } from "../../words/binding.ts";
import { changes as changeWords } from "../../words/changes.ts";
import { common, timeOfDay } from "../../words/common.ts";
import { Notice } from "../../ui/notice.tsx";
import { Banner } from "../connection/banner.tsx";
import { ContextBar } from "../parts/context.tsx";
import { Head } from "../parts/head.tsx";
import { KeyCaps } from "../parts/key-caps.tsx";
import { Places } from "../parts/places.tsx";
import { SheetButton } from "../parts/sheet-button.tsx";
import { Skeletons } from "../parts/skeletons.tsx";
import { Place, TerminalText } from "../parts/text.tsx";
import { PaneFoot, ParkedAgent, ParkedDock, WaitingDock } from "../later.tsx";
import { hasChanges } from "../pane/menu.tsx";
import { lettersOf, nameOf, useWatch, usePaneOf, useWorkspace } from "./use.ts";
import { AgentChat } from "./chat.tsx";
import { AgentChatAround } from "./chat-around.tsx";
import { AgentNow } from "./now.tsx";
import { AgentQuestion } from "./question.tsx";
import { AgentTimeline, WholeTimeline } from "./timeline.tsx";

interface PartProps {
  readonly workspace: Workspace;
  readonly state: AgentState;
  readonly agent: SeenAgent;
}

/** One agent: what it says, what it works on, what happened. */
export function AgentScreen({ id }: { readonly id: string }): JSX.Element {
  const workspace = useWorkspace();
  const { workspace: switched } = useServer();
  if (workspace !== null) return <Session workspace={workspace} state={workspace.agent(id)} />;
  const { step } = switched.facts.value;
  const isComing = step === "on" || step === "starting";
  return (
    <Frame title={words.agent}>
      {isComing ? <Skeletons /> : <Empty title={words.off} text={words.offText} />}
    </Frame>
  );
}

/** What happened, in the place of an agent's page where a list stands beside it. */
export function TimelineScreen(): JSX.Element {
  return (
    <Frame title={words.parts.timeline}>
      <WholeTimeline />
    </Frame>
  );
}

function Session(props: {
  readonly workspace: Workspace;
  readonly state: AgentState;
}): JSX.Element {
  const { workspace, state } = props;
  const { layout, router } = useBrowser();
  useWatch(state.query);
  useBoard(workspace, state.id);
  const agent = state.agent.value;
  const failure = state.query.failure.value;
  // With a third column what is known of its work stands there.
  const opened = router.openAgent.value?.part ?? "now";
  const place = layout.hasThird.value && opened === "now" ? "chat" : opened;
  const at = router.openAgent.value?.at ?? null;
  useWatch(agent !== null && agent.pending_decisions_count > 0 ? state.decisions : null);
  if (agent === null)
    return (
      <Frame title={words.agent}>
        {failure === null && <Skeletons />}
        {failure?.kind === "refused" && failure.status === 404 ? (
          <Empty title={words.gone} text={words.goneText} />
        ) : (
          failure !== null && (
            <div class="boxed-notice">
              <Notice icon="warning" tone="error" title={words.notLoaded} isAlert>
                {words.notLoadedText}
                <div class="actions">
                  <Button onClick={() => void state.query.reload()}>{common.retry}</Button>
                </div>
              </Notice>
            </div>
          )
        )}
      </Frame>
    );
  const shown = { workspace, state, agent };
  return (
    <AgentFrame {...shown} part={place === "decisions" ? "timeline" : place}>
      <AgentNotices {...shown} />
      {place === "chat" && at === null && <AgentChat {...shown} />}
      {place === "chat" && at !== null && <AgentChatAround key={at} {...shown} at={at} />}
      {place === "now" && <AgentNow {...shown} />}
      {place === "timeline" && <AgentTimeline key={place} {...shown} filter={null} />}
      {place === "decisions" && <AgentTimeline key={place} {...shown} filter="decisions" />}
    </AgentFrame>
  );
}

/**
 * The agent's card of the review, which its page answers and marks with. Alone on the screen it is
 * drawn anew; beside the list it is the list's.
 */
function useBoard(workspace: Workspace, id: string): void {
  const { layout } = useBrowser();
  const { workspace: switched } = useServer();
  const facts = switched.facts.value;
  const hasReview = facts.step === "on" && facts.hasReview;
  useWatch(hasReview ? workspace.review : null);
  useEffect(() => {
    if (layout.columns.peek() === 1) workspace.board.show(id);
  }, [workspace, id]);
}

/** What a person should know before trusting what is said. */
function AgentNotices({ workspace, state, agent }: PartProps): JSX.Element | null {
  const { clock } = useBrowser();
  const isOld = workspace.isDown.value || state.query.failure.value !== null;
  const isDegraded = agent.extraction_health !== "ok";
  if (!isOld && !isDegraded) return null;
  const readAt = Math.min(agent.last_event_at ?? agent.updated_at, clock.now.value);
  return (
    <div class="boxed-notice">
      {isOld && (
        <Notice icon="clock" tone="stale" title={words.notUpdated(timeOfDay(readAt))}>
          {words.readOnly}
          <div class="actions">
            <Button onClick={() => void state.query.reload()}>{common.retry}</Button>
          </div>
        </Notice>
      )}
      {isDegraded && (
        <Notice icon="info" tone="stale" title={words.degraded}>
          {words.degradedText}
        </Notice>
      )}
    </div>
  );
}

function AgentFrame(
  props: PartProps & { readonly part: AgentPart; readonly children: ComponentChildren },
): JSX.Element {
  const { workspace, state, agent, part, children } = props;
  const { layout, router } = useBrowser();
  const server = useServer();
  const { config } = server;
  const pane = usePaneOf(agent);
  const name = nameOf(agent, pane);
  const parts = AGENT_PARTS.filter((one) => one !== "now" || !layout.hasThird.value);
  const places = parts.map((one) => ({
    hash: agentHash(state.id, one),
    label: words.parts[one],
    isOn: one === part,
  }));
  const program = config.labels.value[agent.runtime] ?? agent.runtime;
  return (
    <Frame
      title={name}
      tile={lettersOf(agent)}
      second={
        <>
          <StatusIcon shape={shapeOfAgent(agent, pane)} />
          <span>{wordOf(agent, pane)} · </span>
          {standingOf(agent) === "open" && <span>{words.notCertain} · </span>}
          {pane === null ? <TerminalText text={program} class="place" /> : <Place pane={pane} />}
        </>
      }
      end={
        <>
          {pane !== null && hasChanges(server, pane) && (
            <IconButton
              icon="braces"
              label={changeWords.open}
              data-files
              onClick={() => router.go(changesHash(pane.id))}
            />
          )}
          {pane !== null && <OpenPane id={pane.id} />}
          <SheetButton icon="dots" label={binding.menu} opens="agent-menu" />
        </>
      }
      places={<Places label={words.agent} places={places} replaces />}
      below={<ContextBar pane={pane} agent={agent} />}
      label={words.part(name, words.parts[part])}
      foot={
        <>
          {!layout.hasThird.value && <AgentQuestion {...{ workspace, agent }} isDocked />}
          {pane !== null && <ParkedDock pane={pane} />}
          {pane === null && <ParkedAgent agent={agent} class="docked" />}
          {pane !== null && <WaitingDock pane={pane} />}
          {pane === null ? <NoPane agent={agent} /> : part === "chat" && <PaneFoot pane={pane} />}
        </>
      }
    >
      {children}
    </Frame>
  );
}

/** Why nothing can be written to it, and the one way on. */
function NoPane({ agent }: { readonly agent: SeenAgent }): JSX.Element {
  const { router } = useBrowser();
  const isRunning = agent.lifecycle !== "offline";
  return (
    <footer class="pane-foot">
      <p class="input-notice" role="status">
        {!isRunning
          ? "It has ended."
          : agent.association === "confirmed"
            ? "Its pane cannot be read now."
            : "Which pane it runs in is not certain."}
        {isRunning && standingOf(agent) === "open" && (
          <Button size="small" onClick={() => router.show("agent-pane")}>
            Choose
          </Button>
        )}
      </p>
    </footer>
  );
}

function wordOf(agent: SeenAgent, pane: Pane | null): string {
  const doing = doingOf(agent, pane);
  return doing === "parked" ? common.status.parked : words.lifecycle[doing];
}

function OpenPane({ id }: { readonly id: string }): JSX.Element {
  const { layout, router } = useBrowser();
  const open = () => router.goPane(id);
  if (!layout.hasThird.value)
    return <IconButton icon="terminal" label={words.openPane} onClick={open} />;
  return (
    <Button size="small" onClick={open}>
      {words.openPane}
      <KeyCaps keys="o" />
    </Button>
  );
}

function Frame(props: {
  readonly title: string;
  readonly tile?: string;
  readonly second?: ComponentChildren;
  readonly end?: ComponentChildren;
  readonly places?: ComponentChildren;
  /** Below the places, above what scrolls. */
  readonly below?: ComponentChildren;
  readonly label?: string;
  readonly foot?: ComponentChildren;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { title, tile, second, end, places, below, label, foot, children } = props;
  const { layout } = useBrowser();
  const isNarrow = layout.columns.value === 1;
  return (
    <main class="pane agent" id="content" aria-label={title}>
      <Head
        title={<TerminalText text={title} />}
        second={second}
        back={isNarrow ? { label: words.back } : null}
        tile={
          tile !== undefined && (
            <span class="tile" aria-hidden="true">
              {tile}
            </span>
          )
        }
        end={
          <>
            {layout.hasThird.value && places}
            {end}
          </>
        }
      />
      {isNarrow && <Banner />}
      {!layout.hasThird.value && places}
      {below}
      <div class="scroll agent-body" tabIndex={0} role="region" aria-label={label ?? title}>
        {children}
      </div>
      {foot}
    </main>
  );
}
