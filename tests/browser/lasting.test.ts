import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { AnswerPage } from "../support/answer-page.ts";
import { becomes } from "../support/becomes.ts";
import { fixturePane, option } from "../support/fixture-panes.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare } from "../support/thorough.ts";

const lab = PageLab.ofFile();
let it: AnswerPage;

const chip = (word: string) => it.page.locator(".connection", { hasText: word });

/** Real touches of the browser, as many fingers as points. */
async function hand(page: Page) {
  const session = await page.context().newCDPSession(page);
  return (type: "Start" | "Move" | "End", points: [number, number][]) =>
    session.send("Input.dispatchTouchEvent", {
      type: `touch${type}`,
      touchPoints: points.map(([x, y], id) => ({ x, y, id })),
    });
}

test("a page out of sight lets its socket go; back in sight it connects anew", async () => {
  const opened = await AnswerPage.openTimed(lab);
  const { time } = opened;
  ({ it } = opened);
  const { page } = it;
  const setHidden = (hidden: boolean) =>
    page.evaluate((value) => {
      Object.defineProperty(document, "hidden", { value, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
  await time.stop();
  await setHidden(true);
  await time.pass(31_000, 1000);
  // Asleep nothing is opened and nothing is asked.
  const sockets = it.sockets;
  const asked = it.server.requests.length;
  await time.pass(30_000, 1000);
  expect([it.sockets, it.server.requests.length]).toEqual([sockets, asked]);
  await setHidden(false);
  await time.shows(chip("Live"));
  expect(it.sockets).toBeGreaterThan(sockets);
});

rare("a pill leads to a new card, which stands first once the queue is pulled down", async () => {
  it = await AnswerPage.open(lab);
  const oldest = fixturePane({
    number: 60,
    session: "late",
    window: "late",
    name: "late-comer",
    status: "needs_input",
    ago: 7200,
    question: "Older than all others?",
    menu: [option("1", "Yes")],
  });
  it.server.panes = [...it.server.panes, oldest];
  it.server.pass();
  await it.page.getByRole("button", { name: "1 new" }).waitFor();
  const first = () => it.page.locator("article .name").first().innerText();
  expect(await first()).toBe("session-rotation");
  await it.page.getByRole("button", { name: "1 new" }).tap();
  const isInSight = async () => ((await it.card("%60").boundingBox())?.y ?? 844) < 844;
  await becomes(isInSight, true);
  await it.page.locator("main.scroll").evaluate((area) => area.scrollTo(0, 0));
  await it.settle();
  const touch = await hand(it.page);
  await touch("Start", [[200, 150]]);
  for (const y of [170, 200, 230, 260]) await touch("Move", [[200, y]]);
  await it.page.getByText("Let go to order again").waitFor();
  await touch("End", []);
  await it.page.waitForFunction(
    () => document.querySelector("article .name")?.textContent === "late-comer",
  );
  expect(it.server.actions).toEqual([]);
});

rare("two fingers on the terminal size its text within bounds, and the size is kept", async () => {
  it = await AnswerPage.open(lab);
  await it.openPane("%14");
  const size = () =>
    it.page
      .locator("[data-terminal]")
      .evaluate((area) => getComputedStyle(area).getPropertyValue("--term-size"));
  const touch = await hand(it.page);
  const pinch = async (to: number) => {
    await touch("Start", [
      [150, 300],
      [250, 300],
    ]);
    for (const half of [(50 + to) / 2, to])
      await touch("Move", [
        [200 - half, 300],
        [200 + half, 300],
      ]);
    await touch("End", []);
  };
  expect(await size()).toBe("12px");
  await pinch(75);
  await becomes(size, "18px");
  await pinch(150);
  await becomes(size, "20px");
  await pinch(5);
  await becomes(size, "9px");
  await it.page.waitForFunction(() =>
    localStorage.getItem("panewatch.preferences")?.includes('"terminalSize":9'),
  );
});

rare("an on-screen keyboard that only covers the page leaves the composer above it", async () => {
  it = await AnswerPage.open(lab);
  await it.openPane("%14");
  const cover = (pixels: number, scale: number) =>
    it.page.evaluate(
      ([covered, zoom]) => {
        const viewport = window.visualViewport;
        if (viewport === null) throw new Error("no visual viewport");
        const height = innerHeight - (covered ?? 0);
        Object.defineProperty(viewport, "height", { value: height, configurable: true });
        Object.defineProperty(viewport, "scale", { value: zoom, configurable: true });
        viewport.dispatchEvent(new Event("resize"));
      },
      [pixels, scale],
    );
  const bottom = async () => {
    const box = await it.page.locator("[data-composer]").boundingBox();
    return (box?.y ?? 0) + (box?.height ?? 0);
  };
  await cover(300, 1);
  await becomes(async () => (await bottom()) <= 844 - 300, true);
  // Pinched, the viewport is small without a keyboard.
  await cover(300, 2);
  await becomes(async () => (await bottom()) > 844 - 300, true);
});
