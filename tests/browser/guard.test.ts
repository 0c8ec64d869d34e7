import { beforeEach, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { becomes } from "../support/becomes.ts";
import { PHONE } from "../support/browser.ts";
import { calm } from "../support/calm.ts";
import { guard, option } from "../support/fixture-panes.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { PageTime, patient } from "../support/page-time.ts";
import { PageLab } from "../support/page-lab.ts";

const lab = PageLab.ofFile();
let server: FixtureServer;
let page: Page;

beforeEach(async () => {
  server = lab.server();
  page = await openPage();
});

async function openPage(): Promise<Page> {
  const opened = await lab.page(PHONE);
  await show(opened.page);
  return opened.page;
}

async function show(on: Page): Promise<void> {
  await on.goto(server.url);
  await on.getByText("Live", { exact: true }).waitFor();
  await calm(on);
}

/** Opens the page anew, with a time that can be stopped. */
async function timed(): Promise<PageTime> {
  patient(server);
  const time = await PageTime.of(page);
  await show(page);
  await time.stop();
  return time;
}

const ID = "%12";
const card = (id = ID): Locator => page.locator(`article[data-pane="${id}"]`);
const answer = (key: string, id = ID): Locator => card(id).locator(`[data-key="${key}"]`);
const sent = () => server.actions.map(({ path, body }) => [path, body["id"], body["key"]]);

async function pressOn(target: Locator): Promise<void> {
  await target.scrollIntoViewIfNeeded();
  const box = await target.boundingBox();
  if (box === null) throw new Error("nothing to press");
  const { mouse } = target.page();
  await mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await mouse.down();
}

/** A full pass has been drawn, so whatever was to be sent has been sent. */
const settle = (): Promise<void> => calm(page);

test("a tap answers with exactly the guard that was on the screen", async () => {
  const shown = server.panes.find(({ id }) => id === ID)?.legacy_guard;
  await answer("1").tap();
  await card()
    .getByText(/, (sent|confirmed)$/)
    .waitFor();
  expect(server.actions).toEqual([
    {
      method: "POST",
      path: "/api/select",
      body: {
        id: ID,
        key: "1",
        expected: { ...shown, selected: "1" },
        idempotency_key: expect.any(String),
      },
    },
  ]);
});

test("the prompt is swapped between press and release: nothing is sent", async () => {
  await pressOn(answer("1"));
  server.change(ID, { question: "Delete the production database?", legacy_guard: guard() });
  await card().getByText("Delete the production database?").waitFor();
  await page.mouse.up();
  await card().getByText("This prompt just changed").waitFor();
  await settle();
  expect(sent()).toEqual([]);
});

test("the same question over another diff is another prompt", async () => {
  await pressOn(answer("1"));
  server.change(ID, {
    evidence: ["src/auth/session.ts", " 42 +    drop();"],
    legacy_guard: guard(),
  });
  await card().getByText("drop();").waitFor();
  await page.mouse.up();
  await settle();
  expect(sent()).toEqual([]);
});

test("the options change under the finger: nothing is sent", async () => {
  await pressOn(answer("1"));
  server.change(ID, {
    menu: [option("1", "No"), option("2", "Yes, delete everything")],
    legacy_guard: guard(),
  });
  await card().getByText("Yes, delete everything").waitFor();
  await page.mouse.up();
  await settle();
  expect(sent()).toEqual([]);
});

test("a card that moves a little under the finger does not send", async () => {
  // Room for both cards: where the list has been scrolled, the browser holds what is read in its place.
  await page.setViewportSize({ width: 390, height: 1600 });
  await settle();
  const second = answer("1", "%15");
  await pressOn(second);
  const before = await second.boundingBox();
  const first = server.panes.find(({ id }) => id === ID);
  server.change(ID, { evidence: [...(first?.evidence ?? []), " 45  }"] });
  await card().getByText("45 }").waitFor();
  const after = await second.boundingBox();
  expect((after?.y ?? 0) - (before?.y ?? 0)).toBeGreaterThan(5);
  await page.mouse.up();
  await settle();
  expect(sent()).toEqual([]);
});

test("a card that has moved up and stood still since takes the first tap", async () => {
  server.panes = server.panes.filter(({ id }) => id !== ID);
  server.pass();
  await card().waitFor({ state: "detached" });
  await settle();
  await answer("1", "%15").tap();
  await card("%15")
    .getByText(/, (sent|confirmed)$/)
    .waitFor();
  expect(sent()).toEqual([["/api/select", "%15", "1"]]);
});

test("taps within 400 ms of a change do nothing, afterwards they answer what is shown now", async () => {
  const time = await timed();
  const changed = guard();
  server.change(ID, { question: "Run it now?", legacy_guard: changed });
  await time.shows(card().getByText("Run it now?"));
  await answer("1").dispatchEvent("click");
  await card().getByText("This prompt just changed").waitFor();
  // The notice above the answers has moved them: from here the shield counts anew.
  await time.pass(390);
  await answer("1").dispatchEvent("click");
  await time.pass(20);
  expect(sent()).toEqual([]);
  await time.pass(400);
  await answer("1").tap();
  await card()
    .getByText(/, (sent|confirmed)$/)
    .waitFor();
  expect(server.actions.map(({ body }) => body["expected"])).toEqual([
    { ...changed, selected: "1" },
  ]);
});

test("a prompt that only the server knows to be another one is refused there and never replayed", async () => {
  // It changes while the request is on its way: the page still shows the old prompt.
  server.hook = ({ path }) => {
    if (path !== "/api/select") return undefined;
    server.panes = server.panes.map((pane) =>
      pane.id === ID ? { ...pane, question: "Something else?", legacy_guard: guard() } : pane,
    );
    return undefined;
  };
  await answer("1").tap();
  await card().getByText("Not sent").waitFor();
  await card().getByText("Something else?").waitFor();
  await settle();
  expect(sent()).toEqual([["/api/select", ID, "1"]]);
});

test("an old snapshot is fetched again before an answer leaves", async () => {
  const time = await timed();
  server.isSilent = true;
  // Longer than an answer trusts a snapshot.
  await time.pass(1700);
  server.panes = server.panes.map((pane) =>
    pane.id === ID ? { ...pane, question: "Another one?", legacy_guard: guard() } : pane,
  );
  await answer("1").tap();
  await time.shows(card().getByText("Another one?"));
  await card().getByText("This prompt just changed").waitFor();
  expect(sent()).toEqual([]);
});

test("the network drops after the request has left: the card says so and nothing is replayed", async () => {
  await page.route("**/api/select", async (route) => {
    await route.fetch();
    await route.abort("connectionreset");
  });
  await answer("1").tap();
  await card().getByText("May have arrived. Look at its screen.").waitFor();
  expect(await card().getByRole("option").count()).toBe(0);
  await settle();
  expect(sent()).toEqual([["/api/select", ID, "1"]]);

  await settle();
  await card().getByRole("button", { name: "Inspect terminal" }).tap();
  const prompt = page.getByRole("region", { name: "Prompt" });
  await prompt.getByRole("option").first().waitFor();
  expect(sent()).toEqual([["/api/select", ID, "1"]]);
});

test("two browsers answer at once: one is sent, the other reads why not", async () => {
  const other = await openPage();
  let answered = false;
  server.hook = ({ path }) => {
    if (path !== "/api/select" || answered) return undefined;
    answered = true;
    const next = { question: "The next question?", legacy_guard: guard() };
    queueMicrotask(() => server.change(ID, next));
    return Response.json({ ok: true });
  };
  const theirs = other.locator(`article[data-pane="${ID}"] [data-key="2"]`);
  // Both have read the same prompt before either lets go.
  await pressOn(answer("1"));
  await pressOn(theirs);
  await Promise.all([page.mouse.up(), other.mouse.up()]);
  await Promise.all([calm(page), calm(other)]);
  const accepted = server.actions.length;
  expect(accepted).toBeGreaterThanOrEqual(1);
  expect(accepted).toBeLessThanOrEqual(2);
  const refusals = async () => {
    const cards = [page, other].map((p) => p.locator(`article[data-pane="${ID}"]`));
    const words = await Promise.all(cards.map((card) => card.innerText()));
    return words.filter((text) => /Not sent|just changed/.test(text)).length;
  };
  await becomes(refusals, 1);
});

test("a double tap sends once", async () => {
  const slow = Promise.withResolvers<Response>();
  server.hook = ({ path }) => (path === "/api/select" ? slow.promise : undefined);
  await answer("1").tap();
  await answer("1").tap({ force: true });
  await answer("2").dispatchEvent("click");
  slow.resolve(Response.json({ ok: true }));
  await card()
    .getByText(/, (sent|confirmed)$/)
    .waitFor();
  expect(sent()).toEqual([["/api/select", ID, "1"]]);
});

test("leaving the row, a second finger and a cancelled touch send nothing", async () => {
  await pressOn(answer("2"));
  await page.mouse.move(20, 20);
  await page.mouse.up();
  const touch = { bubbles: true, isPrimary: true, pointerId: 7, pointerType: "touch", button: 0 };
  await answer("2").dispatchEvent("pointerdown", touch);
  await answer("2").dispatchEvent("pointerdown", { ...touch, pointerId: 8, isPrimary: false });
  await answer("2").dispatchEvent("pointerup", touch);
  await answer("2").dispatchEvent("pointerdown", touch);
  await answer("2").dispatchEvent("pointercancel", touch);
  await answer("2").dispatchEvent("pointerup", touch);
  await settle();
  expect(sent()).toEqual([]);
});

test("stale, read-only and placeholder panes offer nothing to send", async () => {
  server.change(ID, { stale: true, actionable: false });
  await card().getByText("This pane cannot be read").waitFor();
  await answer("1").dispatchEvent("click");
  await settle();
  expect(sent()).toEqual([]);
});

test("a folded option leads back to all of them, and sends nothing", async () => {
  await answer("3").tap();
  await card().getByRole("textbox", { name: "Reply" }).waitFor();
  await settle();
  await card().getByText("Yes", { exact: true }).tap();
  await answer("1").waitFor();
  expect(await card().getByRole("textbox").count()).toBe(0);
  await settle();
  expect(sent()).toEqual([]);
});

test("a freeform answer is one guarded select with its text", async () => {
  const shown = server.panes.find(({ id }) => id === ID)?.legacy_guard;
  await answer("3").tap();
  await card().getByRole("textbox", { name: "Reply" }).fill("Keep DAY as the upper bound");
  await settle();
  // The others stay, folded to their labels; the field stands in the place of its own.
  expect(await card().getByRole("option").count()).toBe(0);
  expect(await card().locator(".folded").allInnerTexts()).toEqual([
    expect.stringContaining("Yes"),
    expect.stringContaining("Yes, allow all edits"),
  ]);
  await card().getByText("Sent as your answer.").waitFor();
  await card().getByRole("button", { name: "Send", exact: true }).tap();
  await card()
    .getByText(/, (sent|confirmed)$/)
    .waitFor();
  expect(server.actions.map(({ body }) => body)).toEqual([
    {
      id: ID,
      key: "3",
      text: "Keep DAY as the upper bound",
      expected: { ...shown, selected: "1" },
      idempotency_key: expect.any(String),
    },
  ]);
  const drafts = () =>
    page.evaluate(() => Object.keys(localStorage).filter((k) => /draft/.test(k)));
  await becomes(drafts, []);
});
