// `npm run shots`: every screen at every size in both themes, as pictures in dist/shots.
//
//   bun tests/browser/shots.ts                    all
//   bun tests/browser/shots.ts queue pane         those scenes
//   bun tests/browser/shots.ts --mocks DIR        and each beside its mock, DIR/<mock>.html
//   bun tests/browser/shots.ts --docs             only those of the documentation, into docs/shots
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { BrowserLab, type Viewport } from "../support/browser.ts";
import { FixtureServer } from "../support/fixture-server.ts";
import { enter, pageOptions, type Scene, type SizeName, SIZES, sizesOf } from "./scene.ts";
import { SCENES } from "./scenes.ts";

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
    const scene = SCENES.find((one) => one.name === name);
    if (scene === undefined) throw new Error(`no scene ${name}`);
    const server = new FixtureServer(lab.folder);
    const { page, context } = await lab.page({ ...viewport, theme }, pageOptions(scene));
    await enter(page, server, scene);
    await page.screenshot({ path: join(ROOT, "docs", "shots", file), animations: "disabled" });
    await context.close();
    await server.stop();
  }
  await lab.close();
}

async function main(args: string[]): Promise<void> {
  const mocksAt = args.indexOf("--mocks");
  const mocks = mocksAt < 0 ? null : (args[mocksAt + 1] ?? null);
  const words = args.filter((_, i) => mocksAt < 0 || (i !== mocksAt && i !== mocksAt + 1));
  const chosen = SCENES.filter(({ name }) => words.length === 0 || words.includes(name));
  if (words.length === 0) await rm(OUT, { recursive: true, force: true });
  await mkdir(join(OUT, "beside"), { recursive: true });
  const lab = await BrowserLab.open();
  let missing = 0;
  for (const scene of chosen)
    for (const size of sizesOf(scene)) {
      const made = await shoot(lab, scene, size).catch((error: unknown) => {
        missing += 1;
        process.stderr.write(`${scene.name} ${size}: ${String(error).split("\n")[0]}\n`);
        return null;
      });
      const mock = scene.mocks?.[size];
      if (made === null || mock === undefined || mocks === null) continue;
      for (const theme of THEMES)
        await putBeside(lab, join(mocks, `${mock}.html`), scene, size, theme, made[theme]);
    }
  await lab.close();
  process.stdout.write(`${OUT}\n`);
  process.exit(missing === 0 ? 0 : 1);
}

async function shoot(
  lab: BrowserLab,
  scene: Scene,
  size: SizeName,
): Promise<Record<Theme, Uint8Array>> {
  const server = new FixtureServer(lab.folder);
  const { page, context, errors } = await lab.page(SIZES[size], pageOptions(scene));
  try {
    await enter(page, server, scene);
    const light = await take(page, scene, size, "light");
    const dark = await take(page, scene, size, "dark");
    if (errors.length > 0) throw new Error(errors.join("; "));
    return { light, dark };
  } finally {
    await context.close();
    await server.stop();
  }
}

async function take(page: Page, scene: Scene, size: SizeName, theme: Theme): Promise<Uint8Array> {
  await page.emulateMedia({ colorScheme: theme });
  const path = join(OUT, `${scene.name}.${size}.${theme}.png`);
  return page.screenshot({ path, animations: "disabled" });
}

/** The mock on the left, the page on the right. */
async function putBeside(
  lab: BrowserLab,
  mock: string,
  scene: Scene,
  size: SizeName,
  theme: Theme,
  ours: Uint8Array,
): Promise<void> {
  const viewport = SIZES[size];
  const { page, context } = await lab.page({ ...viewport, theme });
  await page.goto(`${pathToFileURL(mock)}?theme=${theme}`);
  const theirs = await page.screenshot({ animations: "disabled" });
  await context.close();
  const both = { width: viewport.width * 2 + 24, height: viewport.height, scale: 1 };
  const { page: wide, context: wideContext } = await lab.page(both);
  const image = (png: Uint8Array) =>
    `<img alt="" width="${viewport.width}" src="data:image/png;base64,${png.toBase64()}">`;
  await wide.setContent(
    `<body style="margin:0;display:flex;gap:24px;background:#888">${image(theirs)}${image(ours)}`,
  );
  const path = join(OUT, "beside", `${scene.name}.${size}.${theme}.png`);
  await wide.screenshot({ path });
  await wideContext.close();
}
