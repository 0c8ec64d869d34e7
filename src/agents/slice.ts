import { clientOf } from "../input/client.ts";
import type {
  AgentList,
  AgentResume,
  MessageSearch,
  StepList,
  Timeline,
} from "../protocol/agent-replies.ts";
import type { AgentSession, ChatMessage, DecisionItem } from "../protocol/agents.ts";
import { SID_HEADER } from "../protocol/sid.ts";
import type { Handlers, Slice } from "../slice.ts";
import type { AgentRun } from "./agent-run.ts";
import { bindByHand, releaseByHand } from "./binding/manual-binding.ts";
import {
  listDecisions,
  listMessages,
  requireSession,
  searchMessages,
  unknownResource,
  visit,
} from "./queries.ts";
import { Workspace, type WorkspaceDeps } from "./workspace.ts";

interface AgentsSlice extends Slice {
  readonly workspace: Workspace;
}

/** The agent workspace: off until it is switched on, and live from then on. */
export function agentsSlice(deps: WorkspaceDeps): AgentsSlice {
  const { feed } = deps;
  const workspace = new Workspace(deps);
  return {
    name: "agents",
    workspace,
    routes: agentRoutes(workspace),
    async before(c, next) {
      const run = workspace.require();
      await next();
      run.noteFailure(c.error);
    },
    sockets: [{ path: "/ws/agents", accept: (client) => feed.accept(client) }],
    capabilities: () => ({
      agent_context_v1: workspace.capability(),
      ...(workspace.current ? { search_v1: { version: 1 } } : {}),
    }),
    start() {
      workspace.settingsChanged();
      return workspace.settled();
    },
    stop: () => workspace.stop(),
    settingsChanged: () => workspace.settingsChanged(),
  };
}

function agentRoutes(workspace: Workspace): Handlers {
  const on = (): AgentRun => workspace.require();
  return {
    "GET /api/agents": (c) => {
      const { cursor, limit } = c.req.valid("query");
      return c.json<AgentList>(on().store.sessions.page(cursor, limit));
    },
    "DELETE /api/agents": async (c) => {
      await workspace.clear();
      return c.json({ ok: true });
    },
    "GET /api/agents/:id": (c) =>
      c.json<AgentSession>(requireSession(on().store, c.req.param("id"))),
    "GET /api/agents/:id/resume": (c) => {
      const resume = on().store.resume(c.req.param("id"));
      if (!resume) throw unknownResource(c.req.param("id"));
      return c.json<AgentResume>(resume);
    },
    "PUT /api/agents/:id/visit": (c) =>
      c.json(visit(on().store, c.req.param("id"), c.req.valid("json").snapshot_id)),
    "GET /api/agents/:id/timeline": (c) => {
      const { cursor, limit } = c.req.valid("query");
      const { store } = on();
      const { id } = requireSession(store, c.req.param("id"));
      return c.json<Timeline>(store.snapshots.page(id, cursor, limit));
    },
    "GET /api/agents/:id/steps": async (c) => {
      const { store, steps } = on();
      const { id } = requireSession(store, c.req.param("id"));
      const { around } = c.req.valid("query");
      const message = around === null ? null : store.messages.get(around);
      if (around !== null && message?.agent_id !== id) throw unknownResource(around);
      return c.json<StepList>(await steps.around(id, message?.created_at ?? null));
    },
    "GET /api/timeline": (c) => {
      const { cursor, limit } = c.req.valid("query");
      return c.json<Timeline>(on().store.snapshots.global(cursor, limit));
    },
    "GET /api/agents/:id/messages": (c) => {
      const id = c.req.param("id");
      return c.json(listMessages(on().store, id, c.req.valid("query")));
    },
    "POST /api/agents/:id/messages": async (c) => {
      const client = clientOf(c.env, c.req.header(SID_HEADER));
      const run = on();
      const work = run.acts.send(c.req.param("id"), c.req.valid("json"), client);
      const message = await run.act(work);
      return c.json<{ message: ChatMessage }>({ message }, 202);
    },
    "PUT /api/agents/:id/binding": async (c) =>
      c.json<AgentSession>(await bindByHand(on(), c.req.param("id"), c.req.valid("json"))),
    "DELETE /api/agents/:id/binding": (c) => {
      const { expected_binding_revision } = c.req.valid("query");
      return c.json<AgentSession>(
        releaseByHand(on(), c.req.param("id"), expected_binding_revision),
      );
    },
    "DELETE /api/agents/:id/history": async (c) => {
      const run = on();
      const { id } = requireSession(run.store, c.req.param("id"));
      await run.act(run.store.deleteHistory(id));
      return c.json({ ok: true });
    },
    "GET /api/messages": (c) =>
      c.json<MessageSearch>(searchMessages(on().store, c.req.valid("query"))),
    "GET /api/decisions": (c) => c.json(listDecisions(on().store, c.req.valid("query"))),
    "GET /api/decisions/:id": (c) => {
      const decision = on().store.decisions.get(c.req.param("id"));
      if (!decision) throw unknownResource(c.req.param("id"));
      return c.json<DecisionItem>(decision);
    },
    "POST /api/decisions/:id/reply": async (c) => {
      const client = clientOf(c.env, c.req.header(SID_HEADER));
      const run = on();
      const work = run.acts.reply(c.req.param("id"), c.req.valid("json"), client);
      const decision = await run.act(work);
      return c.json<{ decision: DecisionItem }>({ decision }, 202);
    },
  };
}
