import { expect, test } from "bun:test";
import type { z } from "zod";
import {
  AgentList,
  DecisionList,
  MessageList,
  Timeline,
} from "../../../src/protocol/agent-replies.ts";
import { AgentSession } from "../../../src/protocol/agents.ts";
import { Review, Reviewed, ReviewSettings } from "../../../src/protocol/review.ts";
import { FixtureAgents } from "../../support/fixture-agents.ts";
import { fixturePanes, NOW } from "../../support/fixture-panes.ts";

function stage() {
  const panes = fixturePanes();
  const agents = new FixtureAgents(
    () => panes,
    () => NOW,
  );
  const ask = (method: string, path: string, body: Record<string, unknown> = {}) => {
    const url = new URL(path, "http://test");
    return agents.answer({ method, path: url.pathname, body }, url.searchParams);
  };
  return { agents, ask };
}

test("the server that pages are tested with speaks as the real one does", () => {
  const { agents, ask } = stage();
  const { id } = agents.find("list-endpoints").work.agent;
  const cases: [string, z.ZodType][] = [
    ["/api/review", Review],
    ["/api/agents", AgentList],
    [`/api/agents/${id}`, AgentSession],
    [`/api/agents/${id}/timeline`, Timeline],
    [`/api/agents/${id}/messages?q=open`, MessageList],
    [`/api/decisions?agent_id=${id}`, DecisionList],
  ];
  for (const [path, schema] of cases) {
    const answer = ask("GET", path);
    expect({ path, status: answer?.status }).toEqual({ path, status: 200 });
    expect(schema.parse(answer?.body)).toEqual(answer?.body as never);
  }
  expect(ask("GET", "/api/agents/nobody")?.status).toBe(404);
  expect(ask("GET", "/api/state")).toBeNull();
});

test("marks, settings and bindings are what the schemas say", () => {
  const { agents, ask } = stage();
  const { work } = agents.find("list-endpoints");
  const { id } = work.agent;
  Reviewed.parse(ask("PUT", `/api/agents/${id}/review`, { snapshot_id: work.current?.id })?.body);
  ReviewSettings.parse(ask("PATCH", "/api/review/settings", { interval_minutes: 30 })?.body);
  const bind = (pane_id: string) =>
    ask("PUT", `/api/agents/${id}/binding`, { pane_id, expected_binding_revision: 1 });
  expect(bind("%1")?.status).toBe(404);
  AgentSession.parse(bind("%14")?.body);
  expect(bind("%14")?.status).toBe(409);
  const unbind = `/api/agents/${id}/binding?expected_binding_revision=2`;
  expect(AgentSession.parse(ask("DELETE", unbind)?.body).binding_candidates).toHaveLength(1);
});
