import { beforeEach, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openFixture, type FixturePage } from "../support/fixture-page.ts";
import { becomes } from "../support/becomes.ts";
import { PageLab } from "../support/page-lab.ts";

const lab = PageLab.ofFile();
let fixture: FixturePage;
let page: Page;

beforeEach(async () => {
  fixture = await openFixture(lab);
  ({ page } = fixture);
  await page.keyboard.press("b");
  await page.getByRole("dialog", { name: "Broadcast" }).waitFor();
});

const field = () => page.getByRole("textbox", { name: "Text for every chosen pane" });
const sent = () =>
  fixture.server.actions.map(({ path, body }) => ({ path, ids: body["ids"], text: body["text"] }));

test("who waits, is offline or stale is left out with the reason and cannot be ticked", async () => {
  const leftOut = page.getByRole("region", { name: "Left out" });
  for (const reason of [
    "Waits for an answer; text would answer it",
    "Offline",
    "Cannot be read now",
  ])
    await leftOut.getByRole("listitem").filter({ hasText: reason }).first().waitFor();
  expect(await leftOut.getByRole("checkbox").count()).toBe(0);
  // One button states the count and sends once, leaving out who begins to wait.
  await field().fill("Stop after this step.");
  await page.getByRole("button", { name: "Working agents 5" }).tap();
  await page.getByRole("checkbox", { name: /ios-build/ }).tap();
  fixture.server.change("%35", { status: "needs_input", question: "Go on?" });
  await page.getByRole("button", { name: "Send to 3 panes" }).tap();
  await page.getByText("Sent to 3 panes.").waitFor();
  expect(sent()).toEqual([
    { path: "/api/broadcast", ids: ["%14", "%22", "%23"], text: "Stop after this step." },
  ]);
  expect(fixture.server.actions[0]?.body["skip_waiting"]).toBe(true);
  await becomes(() => field().inputValue(), "");
});

test("every failure is listed, the text stays, and only those who failed stay chosen", async () => {
  fixture.server.hook = ({ path }) =>
    path === "/api/broadcast"
      ? Response.json({
          ok: true,
          sent: 3,
          errors: ["%22: skipped, it waits at a prompt", "%31: pane no longer exists"],
        })
      : undefined;
  await field().fill("Stop.");
  await page.getByRole("button", { name: "Working agents 5" }).tap();
  await page.getByRole("button", { name: "Send to 5 panes" }).tap();
  const alert = page.getByRole("alert");
  await alert.getByText("Sent to 3 of 5 panes.").waitFor();
  const failures = await alert.getByRole("listitem").allInnerTexts();
  expect(failures.map((text) => text.replace(/\s+/g, " "))).toEqual([
    "integration-tests skipped, it waits at a prompt",
    "ios-build pane no longer exists",
  ]);
  expect(await field().inputValue()).toBe("Stop.");
  // A connection lost on the way is not sent again, and the text stays.
  fixture.server.hook = ({ path }) =>
    path === "/api/broadcast" ? new Response("bad gateway", { status: 502 }) : undefined;
  await page.getByRole("button", { name: "Send to 2 panes" }).tap();
  await page.getByText("Some panes may have it").waitFor();
  expect(sent()).toHaveLength(2);
  expect(await field().inputValue()).toBe("Stop.");
});
