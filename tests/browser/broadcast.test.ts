import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import type { Page } from "playwright-core";
import { BrowserLab } from "../support/browser.ts";
import { openFixture, type FixturePage } from "../support/fixture-page.ts";

setDefaultTimeout(60_000);

let lab: BrowserLab;
let fixture: FixturePage;
let page: Page;

beforeAll(async () => {
  lab = await BrowserLab.open();
});
afterAll(() => lab.close());
beforeEach(async () => {
  fixture = await openFixture(lab);
  ({ page } = fixture);
  await page.keyboard.press("b");
  await page.getByRole("dialog", { name: "Broadcast" }).waitFor();
});
afterEach(async () => {
  await fixture.close();
  expect(fixture.errors).toEqual([]);
});

const field = () => page.getByRole("textbox", { name: "Text for every chosen pane" });
const sent = () =>
  fixture.server.actions.map(({ path, body }) => ({ path, ids: body["ids"], text: body["text"] }));

test("who waits, is offline or stale is left out with the reason and cannot be ticked", async () => {
  const leftOut = page.getByRole("region", { name: "Left out" });
  const rows = (await leftOut.getByRole("listitem").allInnerTexts()).join("\n");
  for (const reason of [
    "Waits for an answer; text would answer it",
    "Offline",
    "Cannot be read now",
  ])
    expect(rows).toContain(reason);
  expect(await leftOut.getByRole("checkbox").count()).toBe(0);
});

test("one button states the count and sends once, leaving out who begins to wait", async () => {
  await field().fill("Stop after this step.");
  await page.getByRole("button", { name: "Working 5" }).tap();
  await page.getByRole("checkbox", { name: /ios-build/ }).tap();
  fixture.server.change("%35", { status: "needs_input", question: "Go on?" });
  await page.getByRole("button", { name: "Send to 3 panes" }).tap();
  await page.getByText("Sent to 1 pane.").waitFor();
  expect(sent()).toEqual([
    { path: "/api/broadcast", ids: ["%14", "%22", "%23"], text: "Stop after this step." },
  ]);
  expect(fixture.server.actions[0]?.body["skip_waiting"]).toBe(true);
  expect(await field().inputValue()).toBe("");
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
  await page.getByRole("button", { name: "Working 5" }).tap();
  await page.getByRole("button", { name: "Send to 5 panes" }).tap();
  const alert = page.getByRole("alert");
  await alert.getByText("Sent to 3 of 5 panes.").waitFor();
  const failures = await alert.getByRole("listitem").allInnerTexts();
  expect(failures.map((text) => text.replace(/\s+/g, " "))).toEqual([
    "integration-tests skipped, it waits at a prompt",
    "ios-build pane no longer exists",
  ]);
  expect(await field().inputValue()).toBe("Stop.");
  await page.getByRole("button", { name: "Send to 2 panes" }).waitFor();
});

test("a connection lost on the way is not sent again, and the text stays", async () => {
  fixture.server.hook = ({ path }) =>
    path === "/api/broadcast" ? new Response("bad gateway", { status: 502 }) : undefined;
  await field().fill("Stop.");
  await page.getByRole("button", { name: "Idle 3" }).tap();
  await page.getByRole("button", { name: "Send to 3 panes" }).tap();
  await page.getByText("Some panes may have it").waitFor();
  expect(sent()).toHaveLength(1);
  expect(await field().inputValue()).toBe("Stop.");
});
