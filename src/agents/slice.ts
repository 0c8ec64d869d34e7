import { clientOf } from "../input/client.ts";
import type { AgentList, Timeline, Visit } from "../protocol/agent-replies.ts";
import { jsonWithEtag } from "../lib/json-with-etag.ts";
import type { ChatMessage, DecisionItem } from "../protocol/agents.ts";
import { MAX_INTERVAL_MINUTES, MIN_INTERVAL_MINUTES, REVIEW_VERSION } from "../protocol/review.ts";
import type { Handlers, Slice } from "../slice.ts";
import type { AgentRun } from "./agent-run.ts";
import {
  listDecisions,
  listMessages,
  moveMark,
  requireSession,
  searchMessages,
  unknownResource,
} from "./queries.ts";
import type { Reviewer } from "./review/review.ts";
import { Workspace, type WorkspaceDeps } from "./workspace.ts";

export function agentsSlice(deps: WorkspaceDeps): Slice & { readonly workspace: Workspace } {
  const { feed } = deps;
  const workspace = new Workspace(deps);
  return {
    name: "agents",
    workspace,
    routes: { ...agentRoutes(workspace), ...reviewRoutes(() => workspace.require().review) },
    async before(c, next) {
      const run = workspace.require();
      if (c.req.method !== "GET") run.requireFile();
      await next();
      run.noteFailure(c.error);
    },
    sockets: [{ path: "/ws/agents", accept: (client) => feed.accept(client) }],
    capabilities() {
      const agent_context_v1 = workspace.capability();
      const { enabled, degraded_reason } = agent_context_v1;
      return {
        agent_context_v1,
        ...(enabled ? { search_v1: { version: 1 } } : {}),
        agent_review_v1: {
          ...{ enabled, scheduling: enabled, version: REVIEW_VERSION, degraded_reason },
          min_interval_minutes: MIN_INTERVAL_MINUTES,
          max_interval_minutes: MAX_INTERVAL_MINUTES,
        },
      };
    },
    start() {
      workspace.settingsChanged();
      return workspace.settled();
    },
    stop: () => workspace.stop(),
    settingsChanged: () => workspace.settingsChanged(),
  };
}

interface RunForRoutes extends Pick<AgentRun, "act" | "store"> {
  binder: Pick<AgentRun["binder"], "bind" | "release">;
  steps: Pick<AgentRun["steps"], "around">;
  acts: Pick<AgentRun["acts"], "reply" | "send">;
}

export function agentRoutes(workspace: {
  require(): RunForRoutes;
  clear(): Promise<void>;
}): Handlers {
  const on = () => workspace.require();
  return {
    "GET /api/agents": (c): AgentList => {
      const { cursor, limit } = c.req.valid("query");
      return on().store.sessions.page(cursor, limit);
    },
    "DELETE /api/agents": () => workspace.clear(),
    "GET /api/agents/:id": (c) => requireSession(on().store, c.req.param("id")),
    "GET /api/agents/:id/resume": (c) => {
      const resume = on().store.resume(c.req.param("id"));
      if (!resume) throw unknownResource(c.req.param("id"));
      return resume;
    },
    "PUT /api/agents/:id/visit": (c): Visit => {
      const agent_id = c.req.param("id");
      const { mark } = moveMark(on().store, "visit", agent_id, c.req.valid("json").snapshot_id);
      const { snapshot_id, snapshot_sequence, marked_at: visited_at } = mark;
      return { agent_id, snapshot_id, snapshot_sequence, visited_at };
    },
    "GET /api/agents/:id/timeline": (c): Timeline => {
      const { cursor, limit } = c.req.valid("query");
      const { store } = on();
      const { id } = requireSession(store, c.req.param("id"));
      return store.snapshots.page(id, cursor, limit);
    },
    "GET /api/agents/:id/steps": (c) => {
      const { store, steps } = on();
      const { id } = requireSession(store, c.req.param("id"));
      const { around } = c.req.valid("query");
      const message = around === null ? null : store.messages.get(around);
      if (around !== null && message?.agent_id !== id) throw unknownResource(around);
      return steps.around(id, message?.created_at ?? null);
    },
    "GET /api/timeline": (c): Timeline => {
      const { cursor, limit } = c.req.valid("query");
      return on().store.snapshots.global(cursor, limit);
    },
    "GET /api/agents/:id/messages": (c) =>
      listMessages(on().store, c.req.param("id"), c.req.valid("query")),
    "POST /api/agents/:id/messages": async (c) => {
      const run = on();
      const work = run.acts.send(c.req.param("id"), c.req.valid("json"), clientOf(c));
      return c.json<{ message: ChatMessage }>({ message: await run.act(work) }, 202);
    },
    "PUT /api/agents/:id/binding": (c) => on().binder.bind(c.req.param("id"), c.req.valid("json")),
    "DELETE /api/agents/:id/binding": (c) =>
      on().binder.release(c.req.param("id"), c.req.valid("query").expected_binding_revision),
    "DELETE /api/agents/:id/history": (c) => {
      const run = on();
      const { id } = requireSession(run.store, c.req.param("id"));
      return run.act(run.store.deleteHistory(id));
    },
    "GET /api/messages": (c) => searchMessages(on().store, c.req.valid("query")),
    "GET /api/decisions": (c) => listDecisions(on().store, c.req.valid("query")),
    "GET /api/decisions/:id": (c) => {
      const decision = on().store.decisions.get(c.req.param("id"));
      if (!decision) throw unknownResource(c.req.param("id"));
      return decision;
    },
    "POST /api/decisions/:id/reply": async (c) => {
      const run = on();
      const work = run.acts.reply(c.req.param("id"), c.req.valid("json"), clientOf(c));
      return c.json<{ decision: DecisionItem }>({ decision: await run.act(work) }, 202);
    },
  };
}

export function reviewRoutes(require: () => Reviewer): Handlers {
  return {
    "GET /api/review": async (c) => {
      if (c.req.valid("query").counts !== undefined)
        return jsonWithEtag(c.req.raw, require().summary());
      const review = require().read();
      return jsonWithEtag(c.req.raw, review, { ...review, generated_at: 0 });
    },
    "PUT /api/review/all": (c) => require().acknowledgeAll(c.req.valid("json").snapshots),
    "PATCH /api/review/settings": (c) => require().changeSettings(c.req.valid("json")),
    "PUT /api/agents/:id/review": (c) =>
      require().acknowledge(c.req.param("id"), c.req.valid("json").snapshot_id),
  };
}
