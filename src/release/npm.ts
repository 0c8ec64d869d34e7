import { chmod, cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { COMPLETIONS } from "../cli/completions.ts";
import { renderManual } from "../cli/manual.ts";
import { COMMANDS } from "../cli/tree.ts";
import { run } from "../lib/run.ts";
import { fillTemplate } from "../lib/words.ts";
import type { ReleaseArtifact, ReleaseManifest } from "../protocol/release.ts";
import { targetFacts } from "./targets.ts";

const NAME = "panewatch";
const DESCRIPTION =
  "Watches every terminal pane, tells which coding agents wait, and lets you answer from a phone or a desk.";

/**
 * Writes the tarballs of the npm packages: one for each platform with its executable, and
 * `panewatch` with a launcher and the others as optional dependencies.
 */
export async function writeNpmPackages(
  options: Pick<ReleaseOptions, "version" | "executables" | "out">,
): Promise<void> {
  const { version, executables, out } = options;
  await mkdir(out, { recursive: true });
  const platforms = Object.entries(executables);
  for (const [target, executable] of platforms) {
    const folder = join(out, `.${target}`);
    await mkdir(folder, { recursive: true });
    await cp(executable, join(folder, NAME));
    await chmod(join(folder, NAME), 0o755);
    const { os, cpu, libc } = targetFacts(target);
    await pack(folder, out, {
      name: `${NAME}-${target}`,
      ...{ os: [os], cpu: [cpu], ...(libc ? { libc: [libc] } : {}) },
      version,
      files: [NAME],
    });
  }
  const folder = join(out, ".launcher");
  await mkdir(folder, { recursive: true });
  await cp(join(import.meta.dir, "launcher.mjs"), join(folder, "launcher.mjs"));
  await cp(join(import.meta.dir, "..", "..", "README.md"), join(folder, "README.md"));
  await writeManual(folder);
  await pack(folder, out, {
    name: NAME,
    version,
    type: "module",
    bin: { [NAME]: "launcher.mjs" },
    man: ["panewatch.1"],
    files: ["launcher.mjs", "panewatch.1"],
    engines: { node: ">=20" },
    optionalDependencies: Object.fromEntries(
      platforms.map(([target]) => [`${NAME}-${target}`, version]),
    ),
  });
}

/** `npm pack` into `out`; removes the folder. */
async function pack(folder: string, out: string, facts: object): Promise<void> {
  const manifest = { description: DESCRIPTION, license: "MIT", ...facts };
  await Bun.write(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  await runTool(folder, ["npm", "pack", "--silent", "--pack-destination", out]);
  await rm(folder, { recursive: true });
}

/** @throws Error where it fails */
export async function runTool(cwd: string, argv: readonly string[]): Promise<void> {
  const limits = { timeoutMs: 5 * 60_000, maxBytes: 1024 * 1024 };
  const { code, stderr } = await run(argv, { ...limits, cwd });
  if (code !== 0) throw new Error(`${argv.join(" ")} failed in ${cwd}: ${stderr}`);
}

export interface ReleaseOptions {
  version: string;
  from: string;
  /** Address of the folder with the newest release. */
  latest: string;
  homepage: string;
  /** Public keys for install.sh. */
  keys: readonly string[];
  /** The private key as PEM; null leaves the sums unsigned. */
  signingKey: string | null;
  /** Paths by target. */
  executables: Readonly<Record<string, string>>;
  /** A folder, of which the content is replaced. */
  out: string;
}

export const writeManual = (folder: string): Promise<number> =>
  Bun.write(join(folder, "panewatch.1"), renderManual(COMMANDS));

export async function writeCompletions(
  place: (shell: string, file: string) => string,
): Promise<void> {
  for (const [shell, { file, script }] of Object.entries(COMPLETIONS))
    await Bun.write(place(shell, file), script);
}

/** A Homebrew formula for macOS and Linux (Homebrew itself needs glibc). */
export async function formula(
  { version, from, artifacts }: ReleaseManifest,
  homepage: string,
): Promise<string> {
  const block = (os: string) =>
    artifacts
      .filter(({ target }) => targetFacts(target).os === os && targetFacts(target).libc !== "musl")
      .map((artifact) => source(artifact, from))
      .join("\n");
  const text = await Bun.file(join(import.meta.dir, "panewatch.rb")).text();
  const facts = { HOMEPAGE: homepage, VERSION: version };
  return fillTemplate(text, { ...facts, MACOS: block("darwin"), LINUX: block("linux") });
}

function source({ target, file, sha256 }: ReleaseArtifact, from: string): string {
  const cpu = targetFacts(target).cpu === "arm64" ? "on_arm" : "on_intel";
  return `    ${cpu} do
      url "${from}/${file}"
      sha256 "${sha256}"
    end`;
}
