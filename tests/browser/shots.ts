// `npm run shots`: every screen at every size in both themes, as pictures in dist/shots.
//
//   bun tests/browser/shots.ts                    all
//   bun tests/browser/shots.ts queue pane         those scenes
//   bun tests/browser/shots.ts --docs             only those of the documentation, into docs/shots
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { BrowserLab, type Viewport } from "../support/browser.ts";
import { FixtureServer } from "../support/fixture-server.ts";
import { enter, pageOptions, type Scene, type SizeName, SIZES, sizesOf } from "./scene.ts";
import { sceneOf, SCENES } from "./scenes.ts";

const ROOT = join(import.meta.dir, "..", "..");
const OUT = join(ROOT, "dist", "shots");
/** File of docs/shots -> the scene, the window and the theme it shows. */
const DOCS: Readonly<Record<string, readonly [string, Viewport, Theme]>> = {
  "queue.png": ["queue-unseen", SIZES.phone, "dark"],
  "pane.png": ["pane", SIZES.phone, "light"],
  "hosts.png": ["hosts-desk", { ...SIZES.desktop, scale: 2 }, "light"],
  "desktop.png": ["queue-agents", { ...SIZES.desktop, scale: 2 }, "dark"],
};
const THEMES = ["light", "dark"] as const;
type Theme = (typeof THEMES)[number];

const args = process.argv.slice(2);
if (args.includes("--docs")) await documentation();
else await main(args);

async function documentation(): Promise<void> {
  const lab = await BrowserLab.open();
  for (const [file, [name, viewport, theme]] of Object.entries(DOCS)) {
    const scene = sceneOf(name);
    const server = new FixtureServer(lab.folder);
    const { page, context } = await lab.page({ ...viewport, theme }, pageOptions(scene));
    await enter(page, server, scene);
    await page.screenshot({ path: join(ROOT, "docs", "shots", file), animations: "disabled" });
    await context.close();
    await server.stop();
  }
  await lab.close();
}

async function main(words: string[]): Promise<void> {
  const chosen = SCENES.filter(({ name }) => words.length === 0 || words.includes(name));
  if (words.length === 0) await rm(OUT, { recursive: true, force: true });
  await mkdir(OUT, { recursive: true });
  const lab = await BrowserLab.open();
  let missing = 0;
  for (const scene of chosen)
    for (const size of sizesOf(scene))
      await shoot(lab, scene, size).catch((error: unknown) => {
        missing += 1;
        process.stderr.write(`${scene.name} ${size}: ${String(error).split("\n")[0]}\n`);
      });
  await lab.close();
  process.stdout.write(`${OUT}\n`);
  process.exit(missing === 0 ? 0 : 1);
}

async function shoot(lab: BrowserLab, scene: Scene, size: SizeName): Promise<void> {
  const server = new FixtureServer(lab.folder);
  const { page, context, errors } = await lab.page(SIZES[size], pageOptions(scene));
  try {
    await enter(page, server, scene);
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme });
      const path = join(OUT, `${scene.name}.${size}.${theme}.png`);
      await page.screenshot({ path, animations: "disabled" });
    }
    if (errors.length > 0) throw new Error(errors.join("; "));
  } finally {
    await context.close();
    await server.stop();
  }
}
