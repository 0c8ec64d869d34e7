import { Hono, type MiddlewareHandler } from "hono";
import { clientOf } from "../input/client.ts";
import { validJson, validQuery } from "../lib/valid.ts";
import {
  DecisionsQuery,
  MessagesQuery,
  PageQuery,
  SearchQuery,
  UnbindQuery,
} from "../protocol/agent-queries.ts";
import {
  type AgentList,
  type AgentResume,
  BindingRequest,
  DecisionReply,
  MessageRequest,
  type MessageSearch,
  type Timeline,
  VisitRequest,
} from "../protocol/agent-replies.ts";
import type { AgentSession, ChatMessage, DecisionItem } from "../protocol/agents.ts";
import { SID_HEADER } from "../protocol/sid.ts";
import type { Routes } from "../slice.ts";
import { unknownResource } from "./conflict.ts";
import { listDecisions, listMessages, requireSession, visit } from "./queries.ts";
import { searchMessages } from "./search.ts";
import type { AgentRun } from "./agent-run.ts";
import type { Workspace } from "./workspace.ts";

export interface AgentRoutesDeps {
  workspace: Pick<Workspace, "clear" | "require">;
}

/** All of `/api/agents`, `/api/messages`, `/api/timeline` and `/api/decisions`; 503 while the workspace is off. */
export function agentRoutes({ workspace }: AgentRoutesDeps): Routes {
  const app: Routes = new Hono();
  const on = (): AgentRun => workspace.require();
  // Before schemas are looked at: what is off has no opinion on a request.
  const running: MiddlewareHandler = async (c, next) => {
    const run = on();
    await next();
    run.noteFailure(c.error);
  };

  app.get("/api/agents", running, validQuery(PageQuery), (c) => {
    const { cursor, limit } = c.req.valid("query");
    return c.json<AgentList>(on().store.sessions.page(cursor, limit));
  });
  app.delete("/api/agents", running, async (c) => {
    await workspace.clear();
    return c.json({ ok: true });
  });
  app.get("/api/agents/:id", running, (c) =>
    c.json<AgentSession>(requireSession(on().store, c.req.param("id"))),
  );
  app.get("/api/agents/:id/resume", running, (c) => {
    const resume = on().store.resume(c.req.param("id"));
    if (!resume) throw unknownResource(c.req.param("id"));
    return c.json<AgentResume>(resume);
  });
  app.put("/api/agents/:id/visit", running, validJson(VisitRequest), (c) =>
    c.json(visit(on().store, c.req.param("id"), c.req.valid("json").snapshot_id)),
  );
  app.get("/api/agents/:id/timeline", running, validQuery(PageQuery), (c) => {
    const { cursor, limit } = c.req.valid("query");
    const { store } = on();
    const { id } = requireSession(store, c.req.param("id"));
    return c.json<Timeline>(store.snapshots.page(id, cursor, limit));
  });
  app.get("/api/timeline", running, validQuery(PageQuery), (c) => {
    const { cursor, limit } = c.req.valid("query");
    return c.json<Timeline>(on().store.snapshots.global(cursor, limit));
  });
  app.get("/api/agents/:id/messages", running, validQuery(MessagesQuery), (c) => {
    const id = c.req.param("id");
    return c.json(listMessages(on().store, id, c.req.valid("query")));
  });
  app.post("/api/agents/:id/messages", running, validJson(MessageRequest), async (c) => {
    const client = clientOf(c.env.peer, c.req.header(SID_HEADER));
    const run = on();
    const work = run.chat.send(c.req.param("id"), c.req.valid("json"), client);
    const message = await run.act(work);
    return c.json<{ message: ChatMessage }>({ message }, 202);
  });
  app.put("/api/agents/:id/binding", running, validJson(BindingRequest), async (c) =>
    c.json<AgentSession>(await on().hand.bind(c.req.param("id"), c.req.valid("json"))),
  );
  app.delete("/api/agents/:id/binding", running, validQuery(UnbindQuery), (c) => {
    const { expected_binding_revision } = c.req.valid("query");
    return c.json<AgentSession>(on().hand.release(c.req.param("id"), expected_binding_revision));
  });
  app.delete("/api/agents/:id/history", running, async (c) => {
    const run = on();
    const { id } = requireSession(run.store, c.req.param("id"));
    await run.act(run.store.deleteHistory(id));
    return c.json({ ok: true });
  });
  app.get("/api/messages", running, validQuery(SearchQuery), (c) =>
    c.json<MessageSearch>(searchMessages(on().store, c.req.valid("query"))),
  );
  app.get("/api/decisions", running, validQuery(DecisionsQuery), (c) =>
    c.json(listDecisions(on().store, c.req.valid("query"))),
  );
  app.get("/api/decisions/:id", running, (c) => {
    const decision = on().store.decisions.get(c.req.param("id"));
    if (!decision) throw unknownResource(c.req.param("id"));
    return c.json<DecisionItem>(decision);
  });
  app.post("/api/decisions/:id/reply", running, validJson(DecisionReply), async (c) => {
    const client = clientOf(c.env.peer, c.req.header(SID_HEADER));
    const run = on();
    const work = run.decisions.reply(c.req.param("id"), c.req.valid("json"), client);
    const decision = await run.act(work);
    return c.json<{ decision: DecisionItem }>({ decision }, 202);
  });
  return app;
}
