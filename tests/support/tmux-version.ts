// Other versions of tmux than the system's, as Debian's suites ship them.
//
//   PATH="$(bun tests/support/tmux-version.ts sid):$PATH" bun test ./tests/terminal/mux/
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../../src/lib/run.ts";

/** tmux 3.5a, 3.7 and 3.8 in November 2026; the last one is the newest that can be had. */
export const TMUX_SUITES = ["trixie", "forky", "sid"] as const;

/** Names the suite whose tmux is the first one of PATH, where it is not the system's. */
export const OTHER_TMUX = "PANEWATCH_TEST_TMUX";

/** The tests of what differs between versions of tmux, which is the first one of PATH. */
export const TMUX_TESTS = [
  "tests/terminal/mux/send.test.ts",
  "tests/terminal/mux/listings.test.ts",
  "tests/contract/",
];

/** Every other test that talks to a real tmux. */
export const MORE_TMUX_TESTS = [
  "tests/terminal/mux/",
  "tests/terminal/live.test.ts",
  "tests/hosts/link.test.ts",
  "tests/hosts/one-exchange.test.ts",
  "tests/creation/creation.test.ts",
  "tests/creation/routes.test.ts",
  "tests/input/guard.test.ts",
  "tests/input/answers.test.ts",
];

const CACHE = join(import.meta.dir, "../../node_modules/.cache/tmux");
const SOURCES = "/etc/apt/sources.list.d";
/** Debian's archive or a mirror of it, whichever the machine uses; others keep no tmux. */
const ARCHIVE = /\/debian\/?$/;
const TIMEOUT_MS = 300_000;

/** This machine can bring no other tmux; the message says why. */
export class NoOtherTmux extends Error {
  override readonly name = "NoOtherTmux";
}

/**
 * A folder for the front of PATH, with the tmux of a suite as the machine's own package source has
 * it. It is downloaded once, with the libraries that it needs; the system stays as it is.
 * @throws NoOtherTmux where there is no apt to ask; Error when apt fails
 */
export async function bringTmux(suite: string): Promise<string> {
  const folder = join(CACHE, suite);
  const bin = join(folder, "bin");
  if (await Bun.file(join(bin, "tmux")).exists()) return bin;
  if (!Bun.which("apt-get") || !Bun.which("dpkg-deb"))
    throw new NoOtherTmux(`cannot bring tmux of ${suite}: this system has no apt-get and dpkg-deb`);
  const source = await debianSource();
  if (!source)
    throw new NoOtherTmux(`cannot bring tmux of ${suite}: ${SOURCES} names no archive of Debian`);
  // Beside the place that it gets, so that a run that is cut off leaves nothing that looks whole.
  const work = `${folder}.${process.pid}`;
  try {
    await unpack(suite, source, work);
    await rm(folder, { recursive: true, force: true });
    await rename(work, folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return bin;
}

/** As one line of a sources.list has it: options in brackets, and the address. */
async function debianSource(): Promise<string | null> {
  const names = await readdir(SOURCES).catch(() => []);
  const texts = await Promise.all(names.map((name) => readFile(join(SOURCES, name), "utf8")));
  for (const stanza of texts.flatMap((text) => text.split(/\n\s*\n/))) {
    const field = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, "m").exec(stanza)?.[1];
    const uri = field("URIs");
    const key = field("Signed-By");
    if (uri && ARCHIVE.test(uri)) return key ? `[signed-by=${key}] ${uri}` : uri;
  }
  const lines = await readFile("/etc/apt/sources.list", "utf8").catch(() => "");
  const lists = [...lines.matchAll(/^deb\s+(?:(\[[^\]]*\])\s+)?(\S+)/gm)];
  const [, options = "", uri] = lists.find(([, , each = ""]) => ARCHIVE.test(each)) ?? [];
  return uri ? `${options} ${uri}` : null;
}

async function unpack(suite: string, source: string, folder: string): Promise<void> {
  const apt = join(folder, "apt");
  await mkdir(join(apt, "lists/partial"), { recursive: true });
  await mkdir(join(apt, "cache/archives/partial"), { recursive: true });
  await writeFile(join(apt, "sources.list"), `deb ${source} ${suite} main\n`);
  // Nothing is installed in this system, so that apt names every library.
  await writeFile(join(apt, "status"), "");
  const options = [
    `Dir::Etc::sourcelist=${apt}/sources.list`,
    "Dir::Etc::sourceparts=/dev/null",
    `Dir::State=${apt}`,
    `Dir::State::status=${apt}/status`,
    `Dir::Cache=${apt}/cache`,
    "Acquire::Languages=none",
    "APT::Update::Error-Mode=any",
    "APT::Sandbox::User=root",
    "Debug::NoLocking=true",
  ].flatMap((option) => ["-o", option]);
  await command("apt-get", "-qq", ...options, "update");
  const only = ["--yes", "--no-install-recommends", "--download-only"];
  await command("apt-get", "-qq", ...options, ...only, "install", "tmux");
  const root = join(folder, "root");
  const archives = join(apt, "cache/archives");
  for (const name of await readdir(archives))
    if (name.endsWith(".deb")) await command("dpkg-deb", "-x", join(archives, name), root);
  await rm(apt, { recursive: true });
  await rm(join(root, "usr/share"), { recursive: true });
  await writeStarter(folder);
}

/** The program is run by the loader of its own suite, wherever the folder stands. */
async function writeStarter(folder: string): Promise<void> {
  const files = await readdir(join(folder, "root"), { recursive: true });
  const loader = files.find((file) => /(^|\/)ld-linux[^/]*\.so[^/]*$/.test(file));
  const folders = new Set(
    files.filter((file) => file.includes(".so")).map((file) => join(file, "..")),
  );
  if (!loader) throw new Error("the packages hold no loader");
  const starter = [
    "#!/bin/sh",
    'root="${0%/*}/../root"',
    `libraries=${[...folders].map((each) => `$root/${each}`).join(":")}`,
    `exec "$root/${loader}" --library-path "$libraries" --argv0 tmux "$root/usr/bin/tmux" "$@"`,
  ];
  await mkdir(join(folder, "bin"));
  await writeFile(join(folder, "bin/tmux"), `${starter.join("\n")}\n`);
  await chmod(join(folder, "bin/tmux"), 0o755);
  await command(join(folder, "bin/tmux"), "-V");
}

async function command(...argv: string[]): Promise<void> {
  const { code, stderr } = await run(argv, { timeoutMs: TIMEOUT_MS, maxBytes: 1024 * 1024 });
  if (code !== 0) throw new Error(`cannot bring another tmux: ${argv[0]} says ${stderr.trim()}`);
}

if (import.meta.main) {
  for (const suite of process.argv.slice(2)) process.stdout.write(`${await bringTmux(suite)}\n`);
}
