import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { audit } from "../support/audit.ts";
import { violations, violationsInBoth } from "../support/axe.ts";
import { PageLab } from "../support/page-lab.ts";
import { IS_THOROUGH, sampled } from "../support/thorough.ts";
import { enter, pageOptions, type Scene, type SizeName, SIZES, sizesOf } from "./scene.ts";
import { sceneOf, SCENES } from "./scenes.ts";

/** One size of each layout; the smallest differs in measures, not in what a screen reader meets. */
const WITH_AXE: readonly SizeName[] = IS_THOROUGH
  ? ["phone", "landscape", "tablet", "desktop"]
  : ["phone", "desktop"];

const lab = PageLab.ofFile();

/** Of a sample in one theme, dark in every other scene: they differ in colours alone. */
async function violationsNow(page: Page, index: number): Promise<string[]> {
  if (IS_THOROUGH) return violationsInBoth(page);
  await page.emulateMedia({ colorScheme: index % 8 < 4 ? "light" : "dark" });
  return violations(page);
}

const setText = (page: Page, size: string) =>
  page.evaluate((text) => {
    document.documentElement.dataset["text"] = text;
  }, size);

async function faults(scene: Scene, size: SizeName, index: number): Promise<string[]> {
  const server = lab.server();
  const viewport = SIZES[size];
  const isTouch = "touch" in viewport;
  const { page } = await lab.page(viewport, pageOptions(scene));
  await enter(page, server, scene);
  const found = await audit(page, isTouch);
  if (size === "phone" && IS_THOROUGH) {
    // The same layout on the smallest phone: it needs no page of its own.
    await page.setViewportSize(SIZES.small);
    found.push(...(await audit(page, isTouch)).map((text) => `as small: ${text}`));
    await setText(page, "largest");
    found.push(...(await audit(page, isTouch)).map((text) => `as small, large text: ${text}`));
    await setText(page, "normal");
    await page.setViewportSize(viewport);
  }
  if (WITH_AXE.includes(size)) found.push(...(await violationsNow(page, index)));
  return found.map((text) => `${size}: ${text}`);
}

/** Of a sample each scene is seen in one size: neighbours differ, and all sizes have their turn. */
function sizesNow(scene: Scene, index: number): readonly SizeName[] {
  const sizes = sizesOf(scene).filter((size) => size !== "small");
  return sampled(sizes, sizes.length, index);
}

/** Of a sample every fifth: no number that would give all of them one size. */
const SEEN = sampled(SCENES, 5);

test.each(SEEN.map((scene, index) => [scene.name, scene, index] as const))(
  "%s fits its sizes, fingers and assistive technology",
  async (_name, scene, index) => {
    const sizes = sizesNow(scene, index);
    const found = await Promise.all(sizes.map((size) => faults(scene, size, index)));
    expect(found.flat()).toEqual([]);
  },
);

/** What may not be cut: names of screens, times, words of choices, buttons, and what a field is for. */
const WHOLE = [
  ".screen-header h1, .prompt-header > *, .palette-end > .wait, .sheet-header > *",
  ".segments > *, .runtime > *, .create-percent, .insert-menu .item > *, .pass-footer > *, .composer textarea",
].join();

test("with text twice as large, a narrow phone shows titles, waits, choices and buttons whole", async () => {
  const found: string[] = [];
  const names = ["queue", "all", "pane", "palette", "killed", "create", "create-pane", "device"];
  names.push("pane-insert", "changes", "queue-page", "shortcuts");
  const server = lab.server();
  const { page, context } = await lab.page(
    { ...SIZES.phone, width: 360 },
    pageOptions(sceneOf("queue")),
  );
  const devtools = await context.newCDPSession(page);
  // As the system's own text size: the page's is relative to it.
  await devtools.send("Page.setFontSizes", { fontSizes: { standard: 32, fixed: 26 } });
  for (const staged of names.map(sceneOf)) {
    // Where only the part behind # differed, the scene before would be there until the page is drawn.
    await page.goto("about:blank");
    await enter(page, server, staged);
    const cut = await page.locator(WHOLE).evaluateAll((all) =>
      all.flatMap((one) => {
        const { left, right, width } = one.getBoundingClientRect();
        const start = one.closest(".palette-end")?.getBoundingClientRect().left ?? 0;
        // A small button reaches two pixels beyond its box.
        const isShort = one.scrollWidth > width + 2;
        const isCut = isShort || left < start - 1 || right > innerWidth;
        return isCut ? [one.textContent || one.ariaLabel] : [];
      }),
    );
    found.push(...cut.map((text) => `${staged.name}: ${text}`));
  }
  expect(found).toEqual([]);
});
