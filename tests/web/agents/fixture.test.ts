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

test("the server that pages are tested with speaks as the real one does", () => {
  const panes = fixturePanes();
  const agents = new FixtureAgents(
    () => panes,
    () => NOW,
  );
  const ask = (asked: string, body: Record<string, unknown> = {}) => {
    const [method = "", path = ""] = asked.split(" ");
    const url = new URL(path, "http://test");
    return agents.answer({ method, path: url.pathname, body }, url.searchParams);
  };
  const { work } = agents.find("list-endpoints");
  const own = `/api/agents/${work.agent.id}`;
  const bind = { pane_id: "%14", expected_binding_revision: 1 };
  const cases: [string, z.ZodType, Record<string, unknown>?][] = [
    ["GET /api/review", Review],
    ["GET /api/agents", AgentList],
    [`GET ${own}`, AgentSession],
    [`GET ${own}/timeline`, Timeline],
    [`GET ${own}/messages?q=open`, MessageList],
    [`GET /api/decisions?agent_id=${work.agent.id}`, DecisionList],
    [`PUT ${own}/review`, Reviewed, { snapshot_id: work.current?.id }],
    ["PATCH /api/review/settings", ReviewSettings, { interval_minutes: 30 }],
    [`PUT ${own}/binding`, AgentSession, bind],
    [`DELETE ${own}/binding?expected_binding_revision=2`, AgentSession],
  ];
  for (const [asked, schema, body] of cases) {
    const answer = ask(asked, body);
    expect({ asked, status: answer?.status }).toEqual({ asked, status: 200 });
    expect(schema.parse(answer?.body)).toEqual(answer?.body as never);
  }
  expect(ask(`GET ${own}`)?.body).toMatchObject({ binding_candidates: [expect.anything()] });
  expect(ask("GET /api/agents/nobody")?.status).toBe(404);
  expect(ask(`PUT ${own}/binding`, { pane_id: "%1", expected_binding_revision: 3 })?.status).toBe(
    404,
  );
  expect(ask(`PUT ${own}/binding`, bind)?.status).toBe(409);
  expect(ask("GET /api/state")).toBeNull();
});
