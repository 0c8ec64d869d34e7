import { afterAll, describe, expect, test } from "bun:test";
import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeRelease } from "../../src/release/release.ts";
import { COMPLETIONS } from "../../src/cli/completions.ts";
import { renderManual } from "../../src/cli/manual.ts";
import { COMMANDS } from "../../src/cli/tree.ts";
import { makeSigningKey, publicKeyOf, signatureOf } from "../../src/release/sign.ts";
import { VERSION } from "../../src/protocol/version.ts";
import { shellsHere } from "../support/shells.ts";
import { endOf } from "../support/child.ts";
import { temporary } from "../support/temporary.ts";
import { sampled } from "../support/thorough.ts";

/** Packing does not depend on the program: a small one keeps these tests quick. */
const PROGRAM = `#!/bin/sh
case $1 in
  --version) echo ${VERSION} ;;
  --port)
    trap 'exit 0' TERM
    echo listening
    while :; do sleep 0.05; done
    ;;
  *) exit 2 ;;
esac
`;
const TARGET = process.arch === "arm64" ? "linux-arm64" : "linux-x64";
const ARCHIVE = `panewatch-${TARGET}.tar.gz`;
const SIGNING_KEY = makeSigningKey();
const SHELLS = shellsHere(["dash", "bash --posix", "busybox sh"]);

/** Files that are served instead of those of the release. */
let wrong: Record<string, Response> = {};

const folder = await temporary("release-test", afterAll);
const out = join(folder, "release");
await writeFile(join(folder, "panewatch"), PROGRAM, { mode: 0o755 });
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    const name = new URL(request.url).pathname.slice(1);
    const file = Bun.file(join(out, name));
    return (
      wrong[name]?.clone() ??
      ((await file.exists()) ? new Response(file) : new Response("", { status: 404 }))
    );
  },
});
const from = server.url.href.replace(/\/$/, "");
const manifest = await writeRelease({
  version: VERSION,
  from,
  latest: `${from}/newest`,
  homepage: "https://panewatch.example",
  // The first key stands for the one in reserve.
  keys: [publicKeyOf(makeSigningKey()), publicKeyOf(SIGNING_KEY)],
  signingKey: SIGNING_KEY,
  executables: { [TARGET]: join(folder, "panewatch") },
  out,
});
afterAll(() => server.stop(true));

let homes = 0;
/** A machine: a home folder, and a PATH with nothing but these programs. */
async function machine(without: readonly string[] = []) {
  const home = join(folder, `home-${homes++}`);
  const bin = join(home, "programs");
  await mkdir(bin, { recursive: true });
  for (const from of ["/usr/bin", "/bin"])
    for (const name of PROGRAMS.filter((one) => !without.includes(one)))
      if (await Bun.file(join(from, name)).exists())
        await symlink(join(from, name), join(bin, name)).catch(() => undefined);
  return { home, env: { HOME: home, PATH: bin, TMPDIR: home } };
}
const PROGRAMS = [
  ...["cat", "chmod", "cp", "cut", "curl", "wget", "grep", "gzip", "ldd", "mkdir", "mktemp", "mv"],
  ...["rm", "sed", "sh", "sleep", "sha256sum", "shasum", "tail", "openssl", "tar", "uname"],
  ...["bash", "dash", "busybox"],
];

async function install(env: Record<string, string>, args: string[] = [], shell = "sh") {
  const script = join(folder, "release", "install.sh");
  return endOf(
    Bun.spawn([...shell.split(" "), script, ...args], {
      cwd: env.HOME ?? folder,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    }),
  );
}

const executableIn = (home: string) => join(home, ".local", "bin", "panewatch");
const startOf = (command: string) =>
  `start it with: ${command}\nstart it, and bring it to your phone: ${command} phone\n`;
const receiptIn = (bin: string) => readFile(join(bin, ".panewatch-installed"), "utf8");
/** Version, address of later releases and target. */
const receiptOf = (newest: string) => `${VERSION}\n${manifest.from}${newest}\n${TARGET}\n`;
const isThere = (path: string) => Bun.file(path).exists();

describe("install.sh", () => {
  test.each(sampled(SHELLS, 3))(
    "install.sh installs, installs over itself, and uninstalls without a trace: %s",
    async (shell) => {
      const { home, env } = await machine();
      const first = await install(env, [], shell);
      expect([first.code, first.stderr]).toEqual([0, ""]);
      expect(first.stdout).toContain(`installed ${executableIn(home)} (${VERSION})\n`);
      expect(first.stdout).toContain(`export PATH="${home}/.local/bin:$PATH"`);
      expect(await receiptIn(join(home, ".local", "bin"))).toBe(receiptOf("/newest"));
      expect(first.stdout).toContain("tmux was not found: panewatch watches what runs in it");
      expect(first.stdout).toEndWith(startOf(executableIn(home)));
      expect(await readFile(executableIn(home), "utf8")).toBe(PROGRAM);
      expect((await stat(executableIn(home))).mode & 0o777).toBe(0o755);
      expect((await install(env, [], shell)).code).toBe(0);
      await writeFile(`${executableIn(home)}.old`, "what an upgrade keeps");
      await mkdir(join(home, ".local", "bin", ".panewatch-upgrade-x"));
      expect((await install(env, ["--uninstall"], shell)).stdout).toContain("removed");
      expect(await readdir(join(home, ".local", "bin"))).toEqual([]);
      expect((await install(env, ["--uninstall"], shell)).code).toBe(1);
      // TMPDIR is empty too.
      expect((await readdir(home)).toSorted()).toEqual([".local", "programs"]);
    },
  );

  const COMPLETION_LINES = [
    ["/bin/bash", `eval "$(panewatch completions bash)"`],
    ["/usr/bin/zsh", `eval "$(panewatch completions zsh)"`],
    ["/usr/bin/fish", "panewatch completions fish | source"],
  ] as const;
  test.each(sampled(COMPLETION_LINES, 3))(
    "install.sh prints the completion line for %s, and writes it nowhere",
    async (shell, line) => {
      const { home, env } = await machine();
      expect((await install({ ...env, SHELL: shell })).stdout).toContain(`${line}\n`);
      expect((await readdir(home)).toSorted()).toEqual([".local", "programs"]);
    },
  );

  test("install.sh installs into XDG_BIN_HOME or --dir, also over a running program, and says to start it again", async () => {
    const { home, env } = await machine();
    const dir = join(home, "a place");
    const first = await install({ ...env, XDG_BIN_HOME: dir });
    expect([first.code, first.stderr]).toEqual([0, ""]);
    expect(first.stdout).toEndWith(startOf(`'${join(dir, "panewatch")}'`));
    const again = await install({ ...env, XDG_BIN_HOME: dir, PATH: `${env.PATH}:${dir}` });
    expect(again.stdout).toEndWith(startOf("panewatch"));
    const running = Bun.spawn([join(dir, "panewatch"), "--port", "0"], {
      env: { ...env, TMUX_TMPDIR: home, PATH: process.env.PATH ?? "" },
      stdio: ["ignore", "pipe", "ignore"],
    });
    await running.stdout.getReader().read();
    const over = await install(env, ["--dir", dir, "--from", manifest.from]);
    expect(over.code).toBe(0);
    expect(await receiptIn(dir)).toBe(receiptOf(""));
    expect(over.stdout).toContain("a panewatch that runs is still the one before: start it again");
    expect(again.stdout).toContain("start it again");
    expect(first.stdout).not.toContain("start it again");
    expect(running.exitCode).toBeNull();
    running.kill();
    await running.exited;
  });

  const REFUSED: [string, Parameters<typeof machine>[0], string[], RegExp][] = [
    ["no tool to check a sum", ["sha256sum", "shasum", "openssl"], [], /is needed to check/],
    ["no tool to download", ["curl", "wget"], [], /curl or wget is needed/],
    ["no tool to unpack", ["tar"], [], /tar and gzip are needed/],
    ["a malformed version", [], ["--version", "../x"], /is no version/],
    [
      "a version that the release does not have",
      [],
      ["--version", "9.9.9"],
      /has panewatch \S+, not 9\.9\.9 /,
    ],
    [
      "plain HTTP to another machine",
      [],
      ["--from", "http://releases.example"],
      /only https is safe/,
    ],
    ["an address without a scheme", [], ["--from", "releases.example"], /--from URL/],
    ["an unknown flag", [], ["--sudo"], /unknown argument --sudo/],
    ["a flag without its value", [], ["--dir"], /--dir needs a value/],
    ["a folder that cannot be created", [], ["--dir", "/proc/nowhere"], /choose another folder/],
  ];
  test.each(REFUSED)(
    "install.sh refuses, and installs nothing: %s",
    async (_, without, args, reason) => {
      const { home, env } = await machine(without);
      const { code, stderr } = await install(env, args);
      expect([code, stderr]).toEqual([1, expect.stringMatching(reason)]);
      expect(await isThere(executableIn(home))).toBe(false);
    },
  );

  test("install.sh accepts a version with a v, and a relative folder", async () => {
    const { home, env } = await machine();
    const { stdout, code } = await install(env, ["--version", `v${VERSION}`, "--dir", "here"]);
    expect(code).toBe(0);
    expect(stdout).toStartWith(`panewatch ${VERSION} for `);
    expect(stdout).toContain(`export PATH="${home}/here:$PATH"`);
  });

  test.each(["curl", "wget"])("%s follows no redirect without HTTPS", async (tool) => {
    const { home, env } = await machine(["curl", "wget"].filter((one) => one !== tool));
    const location = `${manifest.from}/SHA256SUMS?elsewhere`;
    wrong = { SHA256SUMS: new Response(null, { status: 302, headers: { location } }) };
    try {
      const { code, stderr } = await install(env);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/cannot download|without HTTPS/)]);
    } finally {
      wrong = {};
    }
    expect(await isThere(executableIn(home))).toBe(false);
  });

  test.each(sampled(SHELLS, 3))(
    "install.sh leaves no temporary file when its output is closed early: %s",
    async (shell) => {
      const { home, env } = await machine();
      const script = join(folder, "release", "install.sh");
      const line = `${shell} ${script} | exec 0<&-`;
      await Bun.spawn(["/bin/bash", "-c", line], { cwd: home, env }).exited;
      const left = await readdir(home);
      expect(left.filter((name) => name.startsWith("panewatch-install"))).toEqual([]);
    },
  );

  test("install.sh does not uninstall a program that starts at login", async () => {
    const { home, env } = await machine();
    expect((await install(env)).code).toBe(0);
    const units = join(home, ".config", "systemd", "user");
    await mkdir(units, { recursive: true });
    await writeFile(join(units, "panewatch.service"), `ExecStart="${executableIn(home)}"\n`);
    const { code, stderr } = await install(env, ["--uninstall"]);
    expect([code, stderr]).toEqual([
      1,
      `install: it starts at login: ${executableIn(home)} service uninstall, then this again\n`,
    ]);
    expect(await isThere(executableIn(home))).toBe(true);
  });

  test("the template in a checkout says that it is a template, and fails", async () => {
    const template = join(import.meta.dir, "..", "..", "src", "release", "install.sh");
    const child = Bun.spawn(["sh", template], { stdio: ["ignore", "ignore", "pipe"] });
    expect(await new Response(child.stderr).text()).toContain("this is the template of a checkout");
    expect(await child.exited).toBe(1);
  });

  const BROKEN: [string, () => Promise<Record<string, Response>>, RegExp][] = [
    ["a changed sum", async () => signedBy(SIGNING_KEY, "0".repeat(64)), /not what SHA256SUMS/],
    ["unsigned changed sums", async () => ({ SHA256SUMS: sums("0".repeat(64)) }), BY_NOBODY],
    [
      "sums signed with another key",
      async () => signedBy(makeSigningKey(), manifest.artifacts[0]?.sha256 ?? ""),
      BY_NOBODY,
    ],
    [
      "sums without a signature file",
      async () => ({ "SHA256SUMS.minisig": gone() }),
      /cannot download/,
    ],
    [
      "sums with a malformed signature",
      async () => ({ "SHA256SUMS.minisig": new Response("<html>") }),
      BY_NOBODY,
    ],
    ["a changed archive", async () => ({ [ARCHIVE]: await archive(1) }), /not what SHA256SUMS/],
    ["a truncated archive", async () => ({ [ARCHIVE]: await archive(0.5) }), /not what SHA256SUMS/],
    [
      "sums without this platform",
      async () => signed(SIGNING_KEY, `${"0".repeat(64)}  panewatch-other.tar.gz\n`),
      /does not name/,
    ],
    ["missing sums", async () => ({ SHA256SUMS: gone() }), /cannot download/],
    ["a missing archive", async () => ({ [ARCHIVE]: gone() }), /cannot download/],
  ];
  test.each(BROKEN)("install.sh installs nothing from %s", async (_, serve, reason) => {
    const { home, env } = await machine();
    wrong = await serve();
    try {
      const { code, stderr } = await install(env);
      expect([code, stderr]).toEqual([1, expect.stringMatching(reason)]);
    } finally {
      wrong = {};
    }
    expect(await isThere(executableIn(home))).toBe(false);
  });

  test("install.sh without openssl and minisign says that the signature was not checked", async () => {
    const { env } = await machine(["openssl"]);
    const { stdout, code } = await install(env);
    expect(code).toBe(0);
    expect(stdout).toContain("the signature was not checked: neither openssl 3 nor minisign");
  });

  test("install.sh does not overwrite a file that it did not install", async () => {
    const { home, env } = await machine();
    await mkdir(join(home, ".local", "bin"), { recursive: true });
    await writeFile(executableIn(home), "mine");
    const { code, stderr } = await install(env);
    expect([code, stderr]).toEqual([1, expect.stringContaining("not from this script")]);
    expect(await readFile(executableIn(home), "utf8")).toBe("mine");
  });
});

const BY_NOBODY = /SHA256SUMS is signed by nobody of panewatch; nothing was installed/;
const signedBy = (key: string, sum: string) => signed(key, `${sum}  ${ARCHIVE}\n`);
const signed = (key: string, text: string) => ({
  SHA256SUMS: new Response(text),
  "SHA256SUMS.minisig": new Response(signatureOf(Buffer.from(text), key, "a test")),
});
const sums = (sum: string) => new Response(`${sum}  ${ARCHIVE}\n`);
const gone = () => new Response("", { status: 404 });
/** The archive cut to a part of its length, or (1) with its last byte changed. */
async function archive(part: number): Promise<Response> {
  const bytes = await Bun.file(join(folder, "release", ARCHIVE)).bytes();
  const cut = bytes.slice(0, Math.floor(bytes.length * part));
  if (part === 1) cut[cut.length - 1] = (cut.at(-1) ?? 0) ^ 1;
  return new Response(cut);
}

test("a release with an unknown signing key is refused", async () => {
  const out = join(folder, "unknown-key");
  const facts = { version: VERSION, from: "", latest: "", homepage: "", executables: {}, out };
  const signing = { keys: [publicKeyOf(makeSigningKey())], signingKey: SIGNING_KEY };
  await expect(writeRelease({ ...facts, ...signing })).rejects.toThrow("none of those");
});

test("manifest, sums and formula name the same archive and sum", async () => {
  const out = join(folder, "release");
  const [artifact] = manifest.artifacts;
  expect(await Bun.file(join(out, "manifest.json")).json()).toEqual(manifest);
  expect(artifact?.size).toBe((await stat(join(out, ARCHIVE))).size);
  const listed = await readFile(join(out, "SHA256SUMS"), "utf8");
  expect(listed.split("\n")[0]).toBe(`${artifact?.sha256}  ${ARCHIVE}`);
  const formula = await readFile(join(out, "panewatch.rb"), "utf8");
  expect(formula).toContain('homepage "https://panewatch.example"');
  expect(formula).toContain(
    `url "${manifest.from}/${ARCHIVE}"\n      sha256 "${artifact?.sha256}"`,
  );
});

/** Folders of completions in Debian's packages of these shells. */
const COMPLETION_PATHS = {
  bash: "bash-completion/completions/panewatch",
  zsh: "zsh/vendor-completions/_panewatch",
  fish: "fish/vendor_completions.d/panewatch.fish",
};

test("the archive has every file that the formula installs", async () => {
  const formula = await readFile(join(folder, "release", "panewatch.rb"), "utf8");
  const files = [...formula.matchAll(/\.install "([^"]+)"/g)].map(([, file = ""]) => file);
  expect(files).toHaveLength(5);
  const archived = await Bun.$`tar -tzf ${join(folder, "release", ARCHIVE)}`.text();
  expect(files.filter((file) => !archived.split("\n").includes(file))).toEqual([]);
});

test("the Debian package installs into and purges from another root", async () => {
  const root = join(folder, "root");
  await mkdir(join(root, "var", "lib", "dpkg", "info"), { recursive: true });
  await mkdir(join(root, "var", "lib", "dpkg", "updates"), { recursive: true });
  await writeFile(join(root, "var", "lib", "dpkg", "status"), "");
  const [deb = ""] = (await readdir(join(folder, "release"))).filter((name) =>
    name.endsWith(".deb"),
  );
  const dpkg = async (...args: string[]) => {
    const argv = [
      "dpkg",
      `--root=${root}`,
      "--force-not-root",
      "--force-script-chrootless",
      ...args,
    ];
    // dpkg needs programs in the folders of an administrator.
    const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
    const child = Bun.spawn(argv, { env, stdio: ["ignore", "pipe", "pipe"] });
    const stderr = await new Response(child.stderr).text();
    return [await child.exited, stderr];
  };
  expect(await dpkg("-i", join(folder, "release", deb))).toEqual([0, expect.any(String)]);
  const installed = join(root, "usr", "bin", "panewatch");
  expect(await Bun.$`${installed} --version`.text()).toBe(`${VERSION}\n`);
  const share = join(root, "usr", "share");
  const status = await readFile(join(root, "var", "lib", "dpkg", "status"), "utf8");
  expect(status).toContain("\nHomepage: https://panewatch.example\n");
  expect(await isThere(join(share, "doc", "panewatch", "changelog.gz"))).toBe(true);
  for (const [shell, { script }] of Object.entries(COMPLETIONS))
    expect(await readFile(join(share, Reflect.get(COMPLETION_PATHS, shell)), "utf8")).toBe(script);
  expect(await readFile(join(share, "man", "man1", "panewatch.1"), "utf8")).toBe(
    renderManual(COMMANDS),
  );
  expect(await dpkg("--purge", "panewatch")).toEqual([0, expect.any(String)]);
  expect(await isThere(installed)).toBe(false);
});

test("the npm package starts its platform's executable, and passes on exit code and signals", async () => {
  const project = join(folder, "project");
  await mkdir(project, { recursive: true });
  await writeFile(join(project, "package.json"), '{"name":"of-a-test","private":true}');
  const tarballs = (await readdir(join(folder, "release", "npm"))).map((name) =>
    join(folder, "release", "npm", name),
  );
  expect(tarballs).toHaveLength(2);
  const npm = Bun.spawn(["npm", "install", "--offline", "--no-audit", "--no-fund", ...tarballs], {
    cwd: project,
    env: { ...process.env, npm_config_cache: join(folder, "npm-cache") },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const errors = await new Response(npm.stderr).text();
  expect([await npm.exited, errors]).toEqual([0, expect.any(String)]);
  const command = join(project, "node_modules", ".bin", "panewatch");
  expect(await Bun.$`${command} --version`.text()).toBe(`${VERSION}\n`);
  expect((await Bun.$`${command} --nothing`.nothrow().quiet()).exitCode).toBe(2);
  const home = join(folder, "npm-home");
  await mkdir(home, { recursive: true });
  const running = Bun.spawn([command, "--port", "0"], {
    env: { ...process.env, HOME: home, TMUX_TMPDIR: home, TMPDIR: home },
    stdio: ["ignore", "pipe", "ignore"],
  });
  await running.stdout.getReader().read();
  running.kill("SIGTERM");
  expect(await running.exited).toBe(0);
});
