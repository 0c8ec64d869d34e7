import { afterAll, beforeAll, expect, test } from "bun:test";
import { audit } from "../support/audit.ts";
import { violations } from "../support/axe.ts";
import { BrowserLab, type OpenedPage } from "../support/browser.ts";
import { FixtureServer } from "../support/fixture-server.ts";
import { sampled } from "../support/thorough.ts";
import { enter, type Scene, type SizeName, SIZES, sizesOf } from "./scene.ts";
import { SCENES } from "./scenes.ts";

/** One size of each layout; the smallest differs in measures, not in what a screen reader meets. */
const WITH_AXE: readonly SizeName[] = ["phone", "landscape", "tablet", "desktop"];

let lab: BrowserLab;
const pages = new Map<SizeName, Promise<OpenedPage>>();
beforeAll(async () => {
  lab = await BrowserLab.open();
});
afterAll(() => lab.close());

async function faults(scene: Scene, size: SizeName): Promise<string[]> {
  const server = new FixtureServer(lab.folder);
  const viewport = SIZES[size];
  const isTouch = "touch" in viewport;
  const { page, context, errors } = await pageFor(scene, size);
  try {
    await page.emulateMedia({ colorScheme: "light" });
    await page.mouse.move(0, 0);
    await enter(page, server, scene);
    const found = await audit(page, isTouch);
    if (size === "phone") {
      // The same layout on the smallest phone: it needs no page of its own.
      await page.setViewportSize(SIZES.small);
      found.push(...(await audit(page, isTouch)).map((text) => `as small: ${text}`));
      await page.setViewportSize(viewport);
    }
    if (WITH_AXE.includes(size)) {
      found.push(...(await violations(page)));
      await page.emulateMedia({ colorScheme: "dark" });
      // The other theme changes colours alone.
      found.push(...(await violations(page, ["color-contrast"])).map((text) => `dark: ${text}`));
    }
    return [...found, ...errors.splice(0)].map((text) => `${size}: ${text}`);
  } finally {
    if (isKept(scene)) await page.goto("about:blank");
    else await context.close();
    await server.stop();
  }
}

/** A scene that moves the page's clock takes its page along. */
const isKept = (scene: Scene): boolean => scene.isOffline !== true;

/**
 * One page of each size serves nearly all scenes: every scene has a server and so an origin of its
 * own, and nothing is carried over from one to the next.
 */
function pageFor(scene: Scene, size: SizeName): Promise<OpenedPage> {
  const fresh = () => lab.page(SIZES[size], { reducedMotion: "reduce" });
  if (!isKept(scene)) return fresh();
  const kept = pages.get(size) ?? fresh();
  pages.set(size, kept);
  return kept;
}

/** Of a sample each scene is seen in one size: neighbours differ, and all sizes have their turn. */
function sizesNow(scene: Scene, index: number): readonly SizeName[] {
  const sizes = sizesOf(scene).filter((size) => size !== "small");
  return sampled(sizes, sizes.length, index);
}

test.each(SCENES.map((scene, index) => [scene.name, scene, index] as const))(
  "%s fits its sizes, fingers and assistive technology",
  async (_name, scene, index) => {
    const sizes = sizesNow(scene, index);
    const found = await Promise.all(sizes.map((size) => faults(scene, size)));
    expect(found.flat()).toEqual([]);
  },
);
