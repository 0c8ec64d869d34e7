import { expect, test } from "bun:test";
import { AnswerPage } from "../support/answer-page.ts";
import { becomes } from "../support/becomes.ts";
import { PageLab } from "../support/page-lab.ts";

const ID = "%12";
const lab = PageLab.ofFile();

test("a reply that is lost is asked for again under the same key, and nobody is left in doubt", async () => {
  const it = await AnswerPage.open(lab, {}, (server) => {
    const { capabilities } = server.config._info;
    capabilities.legacy_once_v1 = { version: 1, incarnation: "morning" };
  });
  const keys = () => it.server.actions.map(({ body }) => String(body["idempotency_key"]));
  let lost = 0;
  await it.page.route("**/api/select", async (route) => {
    // The server has it; its word does not come back.
    if (lost++ === 0) await route.fetch();
    if (lost === 1) return route.abort("connectionreset");
    return route.continue();
  });
  await it.answer(ID, "1").tap();
  await it.isAnswered(ID);
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
