import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { Act } from "../../src/protocol/act.ts";
import { FatesReply, RecordReply } from "../../src/protocol/acts.ts";
import { service } from "../support/service.ts";
import { jsonRequest } from "../support/json.ts";

const TOKEN = "a token of some length";
const READ_TOKEN = "another token, to look";

const KEYED = { id: "%9", key: "Enter", idempotency_key: "k" };

function startService() {
  const running = service({ token: TOKEN, readToken: READ_TOKEN });
  const ask = async (method: string, path: string, body?: unknown, token = TOKEN) => {
    const reply = await running.request(
      path,
      jsonRequest(method, body, { authorization: `Bearer ${token}` }),
    );
    return { status: reply.status, body: (await reply.json()) as unknown };
  };
  const record = async (query = "", token = TOKEN) =>
    RecordReply.parse((await ask("GET", `/api/acts${query}`, undefined, token)).body);
  return { ...running, ask, record };
}

describe("GET /api/acts", () => {
  test("GET /api/acts has the rows of acts with their seq, and no other members", async () => {
    const { ask } = startService();
    await ask("POST", "/api/key", KEYED);
    const { body } = await ask("GET", "/api/acts");
    expect(
      RecordReply.strict()
        .extend({ acts: z.array(Act.extend({ seq: z.int() }).strict()) })
        .parse(body).acts,
    ).toHaveLength(1);
  });

  test("GET /api/acts with keys has the fate of each key, and lists the unseen keys", async () => {
    const { ask } = startService();
    expect((await ask("POST", "/api/key", KEYED)).status).toBe(404);
    const { status, body } = await ask("GET", "/api/acts?keys=k,other");
    expect(status).toBe(200);
    expect(FatesReply.parse(body)).toMatchObject({
      acts: [{ key: "k", state: "refused", reason: "unknown_pane", by: { grant: "token" } }],
      unseen: ["other"],
    });
  });

  test("a malformed query is refused with 422", async () => {
    const { ask } = startService();
    const many = Array.from({ length: 101 }, (_, at) => `k${at}`).join(",");
    for (const query of ["kind=nothing", "before=x", "before=-1", `keys=${many}`, "keys="])
      expect((await ask("GET", `/api/acts?${query}`)).status).toBe(422);
  });

  test("the capability of the ledger names the incarnation for its keys", async () => {
    const { ask, ledger } = startService();
    const { body } = await ask("GET", "/api/config");
    expect(body).toMatchObject({
      _info: {
        capabilities: { act_ledger_v1: { version: 1, incarnation: ledger.incarnation } },
      },
    });
  });

  test("owners see access and settings events, the read token sees acts only", async () => {
    const { ask, record, request } = startService();
    await ask("POST", "/api/key", KEYED);
    await ask("PATCH", "/api/config", { poll_interval: 1 });
    const code = (await ask("POST", "/api/pair/codes", { scope: "answer" })).body as {
      short_code: string;
    };
    const paired = await request(
      "/api/pair",
      jsonRequest("POST", { code: code.short_code, name: "Pixel 9" }),
    );
    expect(paired.status).toBe(200);
    const { grants } = (await ask("GET", "/api/grants")).body as {
      grants: { id: string; name: string }[];
    };
    const id = grants.find(({ name }) => name === "Pixel 9")?.id ?? "";
    await ask("PATCH", `/api/grants/${id}`, { scope: "type" });
    await ask("DELETE", `/api/grants/${id}`);
    await ask("GET", "/api/config", undefined, "a wrong token");
    const { acts, events, before } = await record();
    expect(acts).toHaveLength(1);
    expect(before).toBeNull();
    const by = { grant: "token", name: "the token" };
    expect(events.map(({ seq: _, at: __, ...event }) => event)).toEqual([
      {
        ...{ kind: "sign_refused", what: "127.0.0.1", count: 1 },
        by: { grant: "", name: "127.0.0.1" },
      },
      { kind: "grant_removed", what: "Pixel 9 (type)", count: 1, by },
      { kind: "grant_changed", what: "Pixel 9 (type)", count: 1, by },
      { kind: "grant_made", what: "Pixel 9 (answer)", count: 1, by },
      { kind: "settings_changed", what: "poll_interval", count: 1, by },
    ]);
    expect(await record("", READ_TOKEN)).toMatchObject({ acts: [{ key: "k" }], events: [] });
    expect((await record("?kind=grant_made")).events).toHaveLength(1);
  });
});
