import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { SeenAgent } from "../../../src/protocol/tolerant-later.ts";
import { SHIELD_MS } from "../../model/guard.ts";
import {
  retainedUntil,
  lastSeenAt,
  resumeCommand,
  shapeOfAgent,
  bindingStateOf,
} from "../../model/lifecycle.ts";
import { isGone, refusal, type Result } from "../../net/api.ts";
import { agentHash } from "../../state/browser/router.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button, StatusIcon } from "../../ui/button.tsx";
import { Empty, Notice, Skeletons } from "../../ui/notice.tsx";
import { common } from "../../words/common.ts";
import { dayOf, momentText } from "../../words/times.ts";
import { Banner } from "../parts/screen-header.tsx";
import { ParkedAgent } from "../parked/parked.tsx";
import { QueryStatus, useAct } from "../parts/query-status.tsx";
import { CopyLines } from "../parts/lines.tsx";
import { useToday } from "../parts/derived.ts";
import { Head } from "../parts/head.tsx";
import { SheetButton } from "../parts/links.tsx";
import { Scroll } from "../parts/scroll.tsx";
import { TerminalText } from "../parts/text.tsx";
import { AgentTile } from "../parts/status.tsx";
import { AgentChat } from "./chat.tsx";
import { nameOf, useWatch, useWorkspace } from "./use.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";

interface Opened {
  readonly id: string;
  /** The message that the chat is opened around. */
  readonly at: string | null;
}

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

/** A session that is in no pane for certain. */
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
          <BindingNotice agent={agent} />
        </footer>
      )}
    </main>
  );
}

interface About {
  readonly agent: SeenAgent;
}

function BindingNotice({ agent }: About): JSX.Element | null {
  const { router } = useBrowser();
  switch (bindingStateOf(agent)) {
    case "linked":
      return null;
    case "over":
      return <EndedNotice agent={agent} />;
    case "unknown":
      return (
        <Notice icon="lock" tone="stale" title="No pane is known for it" isBoxed>
          No pane that runs now could be its own: it may run elsewhere, or have ended. You can read
          here but not answer or write.
        </Notice>
      );
    case "open":
      return (
        <Notice
          icon="link"
          tone="stale"
          title="Which pane is it?"
          isBoxed
          actions={
            <Button tone="primary" aria-haspopup="dialog" onClick={() => router.show("agent-pane")}>
              Choose the pane
            </Button>
          }
        >
          {whyOpen(agent)} Until you choose, you can read here but not answer or write.
        </Notice>
      );
  }
}

function whyOpen({ association, binding_candidates: { length } }: SeenAgent): string {
  if (association === "unavailable") return "Its pane was unlinked.";
  return length === 1
    ? "One pane could be its own, but nothing proves it."
    : `${length} panes could be its own, and nothing says which.`;
}

function EndedNotice({ agent }: About): JSX.Element {
  const today = useToday();
  const { config } = useServer();
  const days = config.current.value?._info.capabilities.agent_context_v1.retention_days ?? 0;
  const command = resumeCommand(agent);
  const title = `Offline since ${momentText(lastSeenAt(agent), today)}`;
  return (
    <Notice tone="stale" title={title} isBoxed>
      {days > 0 && `What it said last is kept until ${dayOf(retainedUntil(agent, days))}.`}{" "}
      {command !== null && "To go on, run this in its folder:"}
      {command !== null && <CopyLines text={command} />}
      {command !== null && config.has("session_resume_v1") && (
        <Resume key={agent.id} id={agent.id} />
      )}
    </Notice>
  );
}

const LOOK_MS = 8000;
const CANNOT = "It cannot be resumed from here";
const UNSURE = "Nobody said whether it was started. Look at All first.";

/** The first tap shows whether the session can be resumed, and in which folder; a second one resumes it. */
function Resume({ id }: { readonly id: string }): JSX.Element {
  const server = useServer();
  const { router } = useBrowser();
  const [offer, setOffer] = useState<{ readonly cwd: string; readonly at: number } | null>(null);
  const act = useAct(CANNOT, offer === null ? undefined : UNSURE);
  const { api } = server;
  const look = async () => {
    const asked = { query: { agent_id: id }, timeoutMs: LOOK_MS };
    const result = await act.run(async (): Promise<Result<string>> => {
      const reply = await api.call("GET /api/mux/resume", asked);
      if (!reply.ok) return reply;
      const { cwd, reason } = reply.value;
      const isPossible = reason === null && cwd !== null;
      return isPossible ? { ok: true, value: cwd } : refusal(reason ? `${reason}.` : "");
    });
    if (result?.ok === true) setOffer({ cwd: result.value, at: performance.now() });
  };
  const start = async (shownAt: number) => {
    // The second half of a double tap was meant for the button that stood there before.
    if (performance.now() - shownAt < SHIELD_MS) return;
    const json = { agent_id: id };
    const here = router.here();
    const result = await act.run(async () => {
      const started = await api.call("POST /api/mux/resume", { json });
      // A reply means that the pane is listed.
      if (started.ok) await server.link.refresh();
      return started;
    });
    if (result?.ok) here(() => router.goPane(result.value.pane_id));
  };
  const fault = act.fault !== "" && <p role="alert">{act.fault}</p>;
  // It may have been started.
  if (fault !== false && offer !== null) return fault;
  if (offer === null || act.isBusy)
    return (
      <>
        {fault}
        <div class="actions">
          <Button disabled={act.isBusy} onClick={() => void look()}>
            {offer === null ? "Resume in a new pane" : "Starting"}
          </Button>
        </div>
      </>
    );
  return (
    <>
      <p role="status">
        Runs this command in a new tmux session, in {offer.cwd}. If the session still runs somewhere
        else, end it there first.
      </p>
      <div class="actions">
        <Button tone="primary" onClick={() => void start(offer.at)}>
          Start it
        </Button>
        <Button tone="plain" onClick={() => setOffer(null)}>
          Not now
        </Button>
      </div>
    </>
  );
}
