import { afterAll, expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { addressOf, endOf, EXECUTABLE } from "../support/child.ts";
import { temporary } from "../support/temporary.ts";

const DEADLINE_MS = 30_000;

const folder = await temporary("binary", afterAll);

/** A bare environment: what the executable needs it must bring or do without. */
function environment(extra: Record<string, string> = {}): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "/usr/bin:/bin",
    HOME: folder,
    TMUX_TMPDIR: folder,
    TMPDIR: folder,
    ...extra,
  };
}

async function once(args: string[], cwd = folder, env = environment()) {
  return endOf(
    Bun.spawn([EXECUTABLE, ...args], {
      ...{ cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: DEADLINE_MS },
    }),
  );
}

/** Starts the service on a free port and waits for the address that it prints. */
async function serve(args: string[], cwd = folder, env = environment()) {
  const child = Bun.spawn([EXECUTABLE, "--port", "0", ...args], {
    ...{ cwd, env, stdio: ["ignore", "pipe", "pipe"] },
  });
  const stderr = new Response(child.stderr).text();
  const timer = setTimeout(() => child.kill("SIGKILL"), DEADLINE_MS);
  const url = await addressOf(child.stdout);
  clearTimeout(timer);
  const stop = async () => {
    child.kill("SIGTERM");
    return child.exited;
  };
  return { url, stderr: () => stderr, stop };
}

test("serves its own web client and state from any folder, and stops on SIGTERM", async () => {
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
    Bun.spawnSync(["tmux", "-f", "/dev/null", ...args], { env: environment() });
  tmux("new-session", "-d", "-x", "80", "-y", "24", "printf 'zap now, please? '; read answer");
  const config = join(folder, "patterns.yaml");
  await writeFile(config, "detectors:\n  generic_prompt_patterns: ['zap now, \\w+\\?']\n");
  const service = await serve(["--config", config]);
  try {
    const deadline = Date.now() + DEADLINE_MS;
    let status = "";
    while (status !== "needs_input" && Date.now() < deadline) {
      const reply = await fetch(`${service.url}/api/state`);
      const { panes } = (await reply.json()) as { panes: { status: string }[] };
      status = panes[0]?.status ?? "";
      await Bun.sleep(50);
    }
    expect(status).toBe("needs_input");
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
  // A PATH from the folder would choose the tmux that runs, a BUN_OPTIONS what runs before it.
  await writeFile(
    join(hostile, ".env"),
    "TMUX_TMPDIR=/nonexistent\nHOME=/nonexistent\nBUN_OPTIONS=--preload=./preload.ts\n",
  );
  const bare = environment();
  delete bare.HOME;
  const { stdout, code } = await once(["--version"], hostile, bare);
  expect(stdout.trim()).toBe("0.2.0");
  expect(code).toBe(0);
  const service = await serve([], hostile);
  expect(await service.stop()).toBe(0);
  expect(await service.stderr()).not.toContain("nonexistent");
});

test("the program lies in parts, of which a command loads what it needs", async () => {
  const bytes = Buffer.from(await Bun.file(EXECUTABLE).arrayBuffer());
  const mark = "/$bunfs/root/chunk-";
  const parts = new Set<string>();
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1))
    parts.add(bytes.toString("latin1", at, at + mark.length + 8));
  expect(parts.size).toBeGreaterThan(1);
});
