import { beforeEach, expect, test } from "bun:test";
import { AnswerPage } from "../support/answer-page.ts";
import { becomes } from "../support/becomes.ts";
import { PageLab } from "../support/page-lab.ts";

const ID = "%12";

const lab = PageLab.ofFile();
let it: AnswerPage;

beforeEach(async () => {
  it = await AnswerPage.open(lab);
  const { capabilities } = it.server.config._info;
  capabilities.legacy_once_v1 = { version: 1, incarnation: "morning" };
  await it.page.reload();
  await it.card(ID).getByRole("option").first().waitFor();
  await it.settle();
});

const keys = () => it.server.actions.map(({ body }) => String(body["idempotency_key"]));

test("a reply that is lost is asked for again under the same key, and nobody is left in doubt", async () => {
  let lost = 0;
  await it.page.route("**/api/select", async (route) => {
    // The server has it; its word does not come back.
    if (lost++ === 0) await route.fetch();
    if (lost === 1) return route.abort("connectionreset");
    return route.continue();
  });
  await it.answer(ID, "1").tap();
  await it
    .card(ID)
    .getByText(/, (sent|confirmed)$/)
    .waitFor();
  expect(it.server.happened).toEqual(["/api/select"]);
  expect(new Set(keys()).size).toBe(1);
  expect(keys().length).toBe(2);
  expect(keys()[0]).toStartWith("at:morning:");
  // What is answered next has a key of its own.
  await it.page.unroute("**/api/select");
  await it.settle();
  await it.answer("%15", "1").tap();
  await becomes(() => it.server.happened.length, 2);
  expect(new Set(keys()).size).toBe(2);
});

test("a server that was restarted meanwhile does nothing, and the terminal is to be looked at", async () => {
  const reason = "idempotency_key_expired";
  let asked = 0;
  await it.page.route("**/api/select", async (route) => {
    if (asked++ === 0) return route.abort("connectionreset");
    return route.fulfill({ status: 409, json: { detail: { reason, code: reason } } });
  });
  await it.answer(ID, "1").tap();
  await it.card(ID).getByText("May have arrived. Look at its screen.").waitFor();
  await it.card(ID).getByRole("button", { name: "Inspect terminal" }).waitFor();
  expect(it.server.happened).toEqual([]);
});

test("a placeholder that stands for no pane any more is forgotten from its menu", async () => {
  const gone = it.server.panes.find(({ id }) => id === "%16");
  if (gone === undefined) throw new Error("no pane");
  const id = "cfg:notes:9.1";
  const target = "notes:9.1";
  const left = {
    ...gone,
    id,
    target,
    name: "old notes",
    status: "offline" as const,
    starred: true,
  };
  it.server.panes = [...it.server.panes, { ...left, actionable: false }];
  const overrides = [
    { target, name: "", kind: null, star: true },
    { target: "shop:1.1", name: "shop", kind: null, star: false },
  ];
  it.server.config = { ...it.server.config, overrides };
  await it.page.goto(`${it.server.url}#/pane/${encodeURIComponent(id)}`);
  // The page knows the overrides of the server, as it would from `config_changed`.
  await it.page.reload();
  await it.page.getByRole("button", { name: "More", exact: true }).tap();
  await it.page.getByRole("button", { name: "Forget" }).tap();
  await becomes(() => it.server.config.overrides, overrides.slice(1));
});
