// Pictures of the most used screens, held against those of one commit: the page of the commit that
// `visual.commit` names is built and drawn on this machine, because fonts and Chromium differ from
// machine to machine. A meant change of looks: commit it, then name that commit in the file.
import { afterAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { run } from "../../src/lib/run.ts";
import { lightPath } from "../support/browser.ts";
import { PageLab } from "../support/page-lab.ts";
import { differingShare } from "../support/pixels.ts";
import { IS_THOROUGH, rare } from "../support/thorough.ts";
import { enter, pageOptions, type Scene, type SizeName, SIZES } from "./scene.ts";
import { sceneOf } from "./scenes.ts";

const MOST_DIFFERING = 0.002;
const ROOT = join(import.meta.dir, "..", "..");
const FOLDER = join(ROOT, "dist", "visual");
const BUILD = { timeoutMs: 60_000, maxBytes: 256 * 1024 * 1024 };
/** The first ones are held against it in every run, the others in `npm run test:all`. */
const EVERY_RUN = 2;
const PICTURES: readonly (readonly [string, SizeName, "light" | "dark"])[] = [
  ["queue", "phone", "dark"],
  ["all", "desktop", "light"],
  ["pane", "phone", "light"],
  ["settings", "phone", "dark"],
  ["queue-hostile", "phone", "light"],
  ["active", "phone", "light"],
  ["all", "phone", "dark"],
  ["stats", "phone", "light"],
  ["pane", "landscape", "dark"],
  ["pane", "tablet", "dark"],
  ["palette", "desktop", "dark"],
];

const COMMIT = (await Bun.file(join(import.meta.dir, "visual.commit")).text()).trim();
const scratch = await mkdtemp(join(tmpdir(), "panewatch-visual-"));
/** The folder of the built page of the commit; it is built for the first picture that is missing. */
let earlier: Promise<string> | undefined;

const lab = PageLab.ofFile();
afterAll(() => rm(scratch, { recursive: true, force: true }));

/**
 * Whether the history here reaches back to that commit; a line says so when it does not (a shallow
 * clone, an archive of the sources). Then there is nothing to hold the page against, and no picture
 * counts as passed.
 */
async function isKnown(commit: string): Promise<boolean> {
  const { code, stderr } = await run(
    ["git", "-C", ROOT, "cat-file", "-e", `${commit}^{tree}`],
    BUILD,
  );
  if (code !== 0) console.warn(`no picture is compared: ${stderr.trim()} (${commit})`);
  return code === 0;
}

/**
 * The folder of the page as it was.
 *
 * @throws Error when the page of that commit does not build.
 */
async function buildPageOf(commit: string, folder: string): Promise<string> {
  const sources = ["--", ".", ":!tests", ":!docs"];
  const archive = await run(
    ["git", "-C", ROOT, "archive", "--format=tar", commit, ...sources],
    BUILD,
  );
  if (archive.code !== 0) throw new Error(`no sources of ${commit}: ${archive.stderr}`);
  const tar = join(folder, "page.tar");
  await Bun.write(tar, archive.stdout);
  await run(["tar", "-xf", tar, "-C", folder], BUILD);
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const build = [process.execPath, "--no-env-file", join(folder, "build.ts"), "--web"];
  const built = await run(build, BUILD);
  if (built.code !== 0) throw new Error(`the page of ${commit} does not build: ${built.stderr}`);
  return join(folder, "dist", "web");
}

/** Chromium and the fonts it can choose from decide every pixel of a text. */
async function fingerprint(): Promise<string> {
  const limits = { timeoutMs: 10_000, maxBytes: 4 * 1024 * 1024 };
  const fonts = await run(["fc-list"], limits).catch(() => null);
  const list = new TextDecoder().decode(fonts?.stdout).split("\n").sort().join("\n");
  const hash = new Bun.CryptoHasher("sha256")
    .update(lightPath() + list)
    .digest("hex")
    .slice(0, 12);
  return `chromium-${lab.version}-${hash}`;
}

interface Picture {
  /** The built page that is drawn. */
  folder: string;
  scene: Scene;
  size: SizeName;
  theme: "light" | "dark";
}

/** Draws the scene, and lends the page for the comparison. */
async function draw<T>(
  { folder, scene, size, theme }: Picture,
  use: (picture: Uint8Array, page: Page) => Promise<T>,
): Promise<T> {
  const server = lab.server();
  server.serve(folder);
  const { page } = await lab.page({ ...SIZES[size], theme }, pageOptions(scene));
  await enter(page, server, scene);
  return use(await page.screenshot({ animations: "disabled" }), page);
}

if (await isKnown(COMMIT))
  test.each(IS_THOROUGH ? PICTURES : PICTURES.slice(0, EVERY_RUN))(
    "%s at %s in %s is drawn as it was",
    async (name, size, theme) => {
      const scene = sceneOf(name);
      const drawn = join(FOLDER, await fingerprint(), COMMIT);
      await mkdir(drawn, { recursive: true });
      const path = join(drawn, `${name}.${size}.${theme}.png`);
      if (!(await Bun.file(path).exists())) {
        const folder = await (earlier ??= buildPageOf(COMMIT, scratch));
        await draw({ folder, scene, size, theme }, (png) => Bun.write(path, png));
      }
      const before = await Bun.file(path).bytes();
      const share = await draw({ folder: lab.folder, scene, size, theme }, async (now, page) => {
        const differing = await differingShare(page, before, now);
        if (differing > MOST_DIFFERING) await Bun.write(path.replace(/\.png$/, ".now.png"), now);
        return differing;
      });
      const hint = `compare ${path} and .now.png beside it; if it is meant, see the top of this file`;
      expect(share, hint).toBeLessThanOrEqual(MOST_DIFFERING);
    },
  );

rare("one changed word makes a difference", async () => {
  const scene = sceneOf("queue");
  const { folder } = lab;
  const share = await draw(
    { folder, scene, size: "phone", theme: "dark" },
    async (before, page) => {
      const name = page.getByText("session-rotation").first();
      await name.evaluate((element) => (element.textContent = "another-session"));
      return differingShare(page, before, await page.screenshot({ animations: "disabled" }));
    },
  );
  expect(share).toBeGreaterThan(0);
  expect(share).toBeLessThan(0.05);
});
