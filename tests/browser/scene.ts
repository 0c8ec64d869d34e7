import type { Page } from "playwright-core";
import type { PageOptions, Viewport } from "../support/browser.ts";
import { fixturePanes, fixtureStyles, NOW } from "../support/fixture-panes.ts";
import type { FixtureServer } from "../support/fixture-server.ts";

/** The sizes that the client is looked at in. */
export const SIZES = {
  phone: { width: 390, height: 844, scale: 2, touch: true },
  small: { width: 320, height: 640, scale: 2, touch: true },
  landscape: { width: 844, height: 390, scale: 2, touch: true },
  tablet: { width: 1024, height: 768, touch: true },
  desktop: { width: 1440, height: 900 },
} as const satisfies Record<string, Viewport>;
export type SizeName = keyof typeof SIZES;
export const SIZE_NAMES = Object.keys(SIZES) as SizeName[];

/** One screen in one state. */
export interface Scene extends Staging {
  readonly name: string;
  readonly hash: string;
  /** The scene is there when this is visible. */
  readonly shows: string;
}

interface Staging {
  /** What the server has before the page comes. */
  readonly prepare?: (server: FixtureServer) => unknown;
  /** What the browser has stored, by key. */
  readonly stored?: (server: FixtureServer) => Readonly<Record<string, object>>;
  /** What is done once the page is live. */
  readonly act?: (page: Page, server: FixtureServer) => Promise<void>;
  /** Sizes at which it exists; all when absent. */
  readonly sizes?: readonly SizeName[];
  /** No connection is made, or it is lost. */
  readonly isOffline?: boolean;
}

export const scene = (name: string, hash: string, shows: string, staging: Staging = {}): Scene => ({
  ...{ name, hash, shows },
  ...staging,
});

/** With the agent workspace on. */
export const AGENTS: Staging = { prepare: (server) => server.switchWorkspace(true) };
export const NARROW = ["phone", "small"] as const;
/** Where the composer and its notices stand below the terminal all the time. */
export const DOCKED = ["phone", "small", "tablet", "desktop"] as const;
export const paneHash = (id: string) => `#/pane/${encodeURIComponent(id)}`;

/** Opens a sheet as Back and Forward do; its button is elsewhere in every layout. */
export const sheet =
  (name: string, paneId: string | null = null) =>
  (page: Page) =>
    page.evaluate(
      (opened) => {
        history.pushState({ depth: 1, sheet: opened }, "");
        dispatchEvent(new PopStateEvent("popstate"));
      },
      { name, paneId },
    );

export const sizesOf = (scene: Scene): readonly SizeName[] => scene.sizes ?? SIZE_NAMES;

/** The page of a scene stands at the moment of the fixtures; one that is lost needs its clock moved. */
export const pageOptions = (scene: Scene): PageOptions => ({
  reducedMotion: "reduce",
  ...(scene.isOffline === true ? {} : { fixedTime: NOW * 1000 }),
});

/** Brings a page that has the options of the scene into it. */
export async function enter(page: Page, server: FixtureServer, scene: Scene): Promise<void> {
  server.panes = fixturePanes();
  server.now = NOW;
  scene.prepare?.(server);
  server.styles = fixtureStyles(server.panes);
  await page.addInitScript(
    (stored) => {
      // A frame of the page may have no storage.
      if (!location.protocol.startsWith("http")) return;
      for (const [key, value] of Object.entries(stored))
        localStorage.setItem(key, JSON.stringify(value));
    },
    scene.stored?.(server) ?? {},
  );
  if (scene.isOffline === true) await page.clock.install({ time: NOW * 1000 });
  await page.goto(`${server.url}${scene.hash}`);
  if (scene.act !== undefined) {
    if (scene.name !== "sign-in-error") await livePage(page);
    await painted(page, server);
    await scene.act(page, server);
  }
  await page.locator(scene.shows).first().waitFor();
  // What stands beside it may still be on its way.
  await page.locator("[data-loading]").first().waitFor({ state: "detached" });
  if (scene.act === undefined) await painted(page, server);
  await page.locator("symbol").first().waitFor({ state: "attached" });
  await page.evaluate(() => document.fonts.ready);
}

/** The colours of the open pane come with the frame after its lines. */
async function painted(page: Page, server: FixtureServer): Promise<void> {
  const terminal = page.locator("[data-terminal]");
  if (!server.hasSockets || (await terminal.count()) === 0) return;
  const runs = server.styles.get((await terminal.getAttribute("data-terminal")) ?? "");
  if (runs?.some((row) => row.length > 0) !== true) return;
  // The page of an earlier commit, which pictures are held against, names the look of a run by a class.
  const run = terminal.locator('.line span[style]:not(.edge), [class^="run-"]');
  await run.first().waitFor({ state: "attached" });
}

/**
 * The page has taken a snapshot: nothing is a skeleton any more. A phone's pane
 * has no chip, and nor has a list beside a pane on a phone on its side.
 */
async function livePage(page: Page): Promise<void> {
  const isLive = page
    .getByText(/^(Live|Every 2 s)$/)
    .or(
      page.locator(
        "[data-terminal], .empty h1, .pass-header, .pane .bar-title h1, .pane-body, .paired h1, .two .master [data-row]",
      ),
    );
  await isLive.first().waitFor();
  // Where a pane stands beside the list, its views come a moment after the list.
  await page.locator("main").first().waitFor();
}

/** The server is gone, and the page, whose clock is a test's, has noticed. */
export async function loseServer(page: Page, server: FixtureServer): Promise<void> {
  server.isUnreachable = true;
  server.closeSockets();
  // The grace before Offline is said, without waiting for it.
  for (let i = 0; i < 4; i++) {
    await page.clock.fastForward(4000);
    await page.waitForTimeout(50);
  }
}
