import { afterAll, expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StateFrame } from "../../src/protocol/frames.ts";
import { addressOf, endOf, EXECUTABLE } from "../support/child.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const DEADLINE_MS = 30_000;

const folder = await temporary("binary", afterAll);

/** A bare environment: the executable must bring all that it needs. */
const BARE = { PATH: process.env.PATH ?? "/usr/bin:/bin", TMUX_TMPDIR: folder, TMPDIR: folder };
const AT_HOME = { ...BARE, HOME: folder };

const start = (args: string[], cwd = folder, env: Record<string, string> = AT_HOME) =>
  Bun.spawn([EXECUTABLE, ...args], {
    ...{ cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: DEADLINE_MS },
  });

/** The service on a free port, and the address that it prints. */
async function serve(args: string[], cwd = folder) {
  const child = start(["--port", "0", ...args], cwd);
  const stderr = new Response(child.stderr).text();
  const url = await addressOf(child.stdout);
  const stop = async () => {
    child.kill("SIGTERM");
    return child.exited;
  };
  return { url, stderr, stop };
}

test("the executable serves its web client and state from any folder, and stops on SIGTERM", async () => {
  const service = await serve([]);
  try {
    const page = await fetch(service.url);
    expect(page.status).toBe(200);
    const html = await page.text();
    const script = /src="(\/[\w.-]+\.js)"/.exec(html)?.[1] ?? "";
    const asset = await fetch(`${service.url}${script}`);
    expect(asset.status).toBe(200);
    expect(asset.headers.get("content-type")).toContain("javascript");
    const state = await fetch(`${service.url}/api/state`);
    expect(await state.json()).toEqual({ type: "state", panes: [] });
  } finally {
    expect(await service.stop()).toBe(0);
  }
});

test("the pattern worker runs inside the executable", async () => {
  const tmux = (...args: string[]) =>
    Bun.spawnSync(["tmux", "-f", "/dev/null", ...args], { env: AT_HOME });
  tmux("new-session", "-d", "-x", "80", "-y", "24", "printf 'zap now, please? '; read answer");
  const config = join(folder, "patterns.yaml");
  await writeFile(config, "detectors:\n  generic_prompt_patterns: ['zap now, \\w+\\?']\n");
  const service = await serve(["--config", config]);
  try {
    await until(async () => {
      const { panes } = StateFrame.parse(await (await fetch(`${service.url}/api/state`)).json());
      return panes[0]?.status === "needs_input" || null;
    }, DEADLINE_MS);
  } finally {
    await service.stop();
    tmux("kill-server");
  }
});

test("a hostile .env and bunfig.toml in the working folder are not read", async () => {
  const hostile = join(folder, "hostile");
  await mkdir(hostile);
  await writeFile(join(hostile, "preload.ts"), `console.log("PRELOADED");process.exit(99);`);
  await writeFile(join(hostile, "bunfig.toml"), `preload = ["./preload.ts"]\n`);
  // A read .env would move HOME and the tmux server, and run the preload.
  await writeFile(
    join(hostile, ".env"),
    "TMUX_TMPDIR=/nonexistent\nHOME=/nonexistent\nBUN_OPTIONS=--preload=./preload.ts\n",
  );
  const { stdout, code } = await endOf(start(["--version"], hostile, BARE));
  expect(stdout.trim()).toBe("0.2.0");
  expect(code).toBe(0);
  const service = await serve([], hostile);
  expect(await service.stop()).toBe(0);
  expect(await service.stderr).not.toContain("nonexistent");
});

test("the executable has more than one chunk of program code", async () => {
  const bytes = Buffer.from(await Bun.file(EXECUTABLE).arrayBuffer());
  const mark = "/$bunfs/root/chunk-";
  const parts = new Set<string>();
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1))
    parts.add(bytes.toString("latin1", at, at + mark.length + 8));
  expect(parts.size).toBeGreaterThan(1);
});
