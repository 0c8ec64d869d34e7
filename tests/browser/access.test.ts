// The page by keyboard, for a screen reader, and in other colours.
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { becomes } from "../support/becomes.ts";
import type { PageOptions, Viewport } from "../support/browser.ts";
import { calm } from "../support/calm.ts";
import { openFixture } from "../support/fixture-page.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";
import { AGENTS, SIZES } from "./scene.ts";

const lab = PageLab.ofFile();
/** A narrow window with a keyboard. */
const NARROW: Viewport = { width: 390, height: 844 };

/** What has the focus, by its role or element and its name. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement: at } = document;
    const name = at?.getAttribute("aria-label") ?? at?.querySelector(".name")?.textContent;
    return `${at?.tagName.toLowerCase()} ${name ?? at?.textContent.slice(0, 20)}`;
  });

/** How many sides of the outline around what has the focus are not clipped away. */
const ringSides = (page: Page) =>
  page.evaluate(() => {
    const at = document.activeElement;
    if (at === null) return 0;
    const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(at);
    if (outlineStyle === "none") return 0;
    const box = at.getBoundingClientRect();
    const half = Number.parseFloat(outlineOffset) + Number.parseFloat(outlineWidth) / 2;
    const shown = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    for (let up = at.parentElement; up !== null; up = up.parentElement) {
      const { overflowX, contentVisibility } = getComputedStyle(up);
      if (overflowX === "visible" && contentVisibility === "visible") continue;
      const by = up.getBoundingClientRect();
      shown.left = Math.max(shown.left, by.left);
      shown.top = Math.max(shown.top, by.top);
      shown.right = Math.min(shown.right, by.right);
      shown.bottom = Math.min(shown.bottom, by.bottom);
    }
    return [
      box.left - half > shown.left,
      box.top - half > shown.top,
      box.right + half < shown.right,
      box.bottom + half < shown.bottom,
    ].filter(Boolean).length;
  });

describe("in a narrow window", () => {
  let url = "";
  let page: Page;
  lab.shares(async () => {
    const opened = await openFixture(lab, { viewport: NARROW, hash: "#/all" });
    ({ page } = opened);
    ({ url } = opened.server);
  });

  test("the keyboard focus follows the page, comes back to its row, and shows a whole ring", async () => {
    const row = page.locator('[data-row="%14"]');
    await row.waitFor();
    await calm(page);
    // A page that loads takes no focus.
    expect(await focused(page)).toStartWith("body");
    await page.keyboard.press("j");
    await becomes(() => ringSides(page), 4);
    await row.focus();
    await page.keyboard.press("Enter");
    await becomes(() => focused(page), "main query-planner");
    // The key of the filter works there too.
    await page.keyboard.press("/");
    const filter = page.locator("[data-filter]");
    await becomes(() => filter.evaluate((field) => field === document.activeElement), true);
    await row.focus();
    await page.keyboard.press("Enter");
    await becomes(() => focused(page), "main query-planner");
    await page.goBack();
    await row.waitFor();
    await becomes(() => row.evaluate((link) => link === document.activeElement), true);
    // The focus stays where it is outside the list.
    const tab = page.getByRole("link", { name: "Active" });
    await tab.focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => location.hash === "#/active");
    await calm(page);
    expect(await focused(page)).toBe("a Active");
    await page.getByRole("button", { name: "Settings" }).focus();
    await page.keyboard.press("Enter");
    const sheet = page.getByRole("dialog");
    await sheet.waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await becomes(() => sheet.locator(".sheet-body").evaluate((e) => e.matches(":focus")), true);
    await becomes(() => ringSides(page), 4);
  });

  test("an answer by keyboard is announced, and the focus stays on its card", async () => {
    await page.goto(`${url}#/queue`);
    const answers = page.locator('[data-options="%12"]');
    await answers.waitFor();
    await calm(page);
    await answers.focus();
    // A region that comes with its words is often not read out: these are there before.
    await page.evaluate(() => {
      for (const region of document.querySelectorAll("[aria-live=polite]"))
        region.setAttribute("data-before", "");
    });
    const words = page.locator("[data-before]", { hasText: "session-rotation: Yes, sent" });
    expect(await words.count()).toBe(0);
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await becomes(() => words.count(), 1);
    await becomes(() => focused(page), "article session-rotation");
  });

  test("Tab leads into the insert menu, Escape closes it, and it never covers the focus", async () => {
    await page.goto(`${url}#/pane/%2514`);
    const opener = page.locator(".composer [aria-expanded]");
    const menu = page.getByRole("group", { name: "Attach or insert" });
    await opener.waitFor();
    await calm(page);
    await opener.focus();
    const isInside = () => menu.evaluate((box) => box.contains(document.activeElement));
    for (const tabs of [1, 0]) {
      await page.keyboard.press("Enter");
      await menu.waitFor();
      if (tabs > 0) await page.keyboard.press("Tab");
      await becomes(isInside, tabs > 0);
      await page.keyboard.press("Escape");
      await menu.waitFor({ state: "detached" });
      await becomes(() => opener.evaluate((button) => button === document.activeElement), true);
    }
    await page.keyboard.press("Enter");
    await menu.waitFor();
    // A press beside its rows leaves it open.
    await menu.getByRole("heading").click({ position: { x: 20, y: 10 } });
    await calm(page);
    expect(await menu.isVisible()).toBe(true);
    await opener.focus();
    await page.keyboard.press("Shift+Tab");
    await menu.waitFor({ state: "detached" });
    await becomes(async () => (await focused(page)).startsWith("button"), true);
  });
});

const openPane = (viewport: Viewport, options: PageOptions = {}) =>
  openFixture(lab, { ...AGENTS, viewport, page: options, hash: "#/pane/%2514" });

it("forced colours show the edge of a field, a pressed button and the current tab", async () => {
  const { page } = await openPane(SIZES.landscape, { forcedColors: "active" });
  const outline = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => getComputedStyle(element).outlineStyle);
  const pressed = ".low-tools [aria-pressed=true]";
  await page.locator(pressed).first().waitFor();
  expect(await outline(pressed)).toBe("solid");
  expect(await outline(".low-tools [aria-pressed=false]")).toBe("none");
  expect(await outline(".places [aria-current]")).toBe("solid");
  await page.getByRole("button", { name: "Keys and message" }).tap();
  await page.locator("[data-composer]").focus();
  expect(await outline("[data-composer]")).toBe("solid");
});

it("in the dark theme the key hint of the current tab has the colour of its name", async () => {
  const { page } = await openPane({ ...SIZES.desktop, theme: "dark" });
  const hint = page.locator("[aria-current] kbd").first();
  await hint.waitFor();
  const [own, word] = await hint.evaluate((key) => {
    const tab = key.closest("[aria-current]") ?? key;
    return [getComputedStyle(key).color, getComputedStyle(tab).color];
  });
  expect(own).toBe(word ?? "");
});
