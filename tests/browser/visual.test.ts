// Pictures of the most used screens. Fonts and Chromium differ from machine to machine, so the
// baseline belongs to the machine: the first run draws it under dist/visual, later runs are held
// against it. Meant changes: remove that folder, or run with VISUAL=accept.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { run } from "../../src/lib/run.ts";
import { BrowserLab } from "../support/browser.ts";
import { FixtureServer } from "../support/fixture-server.ts";
import { differingShare } from "../support/pixels.ts";
import { enter, type Scene, SCENES, type SizeName, SIZES } from "./scenes.ts";

setDefaultTimeout(120_000);
const MOST_DIFFERING = 0.002;
const FOLDER = join(import.meta.dir, "..", "..", "dist", "visual");
const PICTURES: readonly (readonly [string, SizeName, "light" | "dark"])[] = [
  ["queue", "phone", "dark"],
  ["queue", "small", "light"],
  ["queue-empty", "phone", "light"],
  ["queue-hostile", "phone", "dark"],
  ["active", "phone", "light"],
  ["all", "phone", "dark"],
  ["all", "desktop", "light"],
  ["stats", "phone", "light"],
  ["pane", "phone", "light"],
  ["pane", "landscape", "dark"],
  ["pane", "tablet", "dark"],
  ["pane-menu", "phone", "dark"],
  ["settings", "phone", "light"],
  ["palette", "desktop", "dark"],
  ["sign-in", "phone", "dark"],
];

let lab: BrowserLab;
let machine: string;
beforeAll(async () => {
  lab = await BrowserLab.open();
  machine = join(FOLDER, await fingerprint());
  await mkdir(machine, { recursive: true });
});
afterAll(() => lab.close());

/** Chromium and the fonts it can choose from decide every pixel of a text. */
async function fingerprint(): Promise<string> {
  const limits = { timeoutMs: 10_000, maxBytes: 4 * 1024 * 1024 };
  const fonts = await run(["fc-list"], limits).catch(() => null);
  const list = new TextDecoder().decode(fonts?.stdout).split("\n").sort().join("\n");
  const hash = new Bun.CryptoHasher("sha256").update(list).digest("hex").slice(0, 12);
  return `chromium-${lab.version}-${hash}`;
}

function sceneOf(name: string): Scene {
  const scene = SCENES.find((one) => one.name === name);
  if (scene === undefined) throw new Error(`no scene ${name}`);
  return scene;
}

/** Draws the scene in a page of its own, and lends the page for the comparison. */
async function draw<T>(
  scene: Scene,
  size: SizeName,
  theme: "light" | "dark",
  use: (picture: Uint8Array, page: Page) => Promise<T>,
): Promise<T> {
  const server = new FixtureServer(lab.folder);
  const { page, context } = await lab.page({ ...SIZES[size], theme }, { reducedMotion: "reduce" });
  try {
    await enter(page, server, scene);
    await page.mouse.move(0, 0);
    return await use(await page.screenshot({ animations: "disabled" }), page);
  } finally {
    await context.close();
    await server.stop();
  }
}

test.each(PICTURES)("%s at %s in %s is drawn as before", async (name, size, theme) => {
  const scene = sceneOf(name);
  const path = join(machine, `${name}.${size}.${theme}.png`);
  const known = Bun.file(path);
  const isKnown = process.env.VISUAL !== "accept" && (await known.exists());
  // Without a baseline: the same state drawn twice, from nothing each time.
  const before = isKnown ? await known.bytes() : await draw(scene, size, theme, async (png) => png);
  const share = await draw(scene, size, theme, async (now, page) => {
    const differing = await differingShare(page, before, now);
    const isSame = differing <= MOST_DIFFERING;
    if (!isKnown && isSame) await Bun.write(path, now);
    if (!isSame) await Bun.write(path.replace(/\.png$/, ".now.png"), now);
    return differing;
  });
  const hint = `compare ${path} and .now.png beside it; if it is meant: VISUAL=accept npm test -- screens`;
  expect(share, hint).toBeLessThanOrEqual(MOST_DIFFERING);
});

test("one changed word is seen", async () => {
  const scene = sceneOf("queue");
  const share = await draw(scene, "phone", "dark", async (before, page) => {
    const name = page.getByText("session-rotation").first();
    await name.evaluate((element) => (element.textContent = "another-session"));
    return differingShare(page, before, await page.screenshot({ animations: "disabled" }));
  });
  expect(share).toBeGreaterThan(0);
  expect(share).toBeLessThan(0.05);
});
