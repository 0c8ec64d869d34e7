// The real usage collector, fetched from npm, over session logs of the agents.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { systemClock } from "../../src/lib/clock.ts";
import { UsageHistory, UsageReply } from "../../src/protocol/usage.ts";
import { Collector } from "../../src/usage/command.ts";
import { Usage } from "../../src/usage/usage.ts";
import { localDate } from "../../src/usage/summary.ts";
import { until } from "../support/until.ts";

// The platform's own package is one executable of 27 MB; the package `tokscale` with its
// dependencies is ten times that, and its version 1.4.3 knows neither `usage` nor `hourly`.
const LIBC = process.platform === "linux" ? "-gnu" : "";
const PACKAGE = `@tokscale/cli-${process.platform}-${process.arch}${LIBC}`;
const VERSION = "4.17.0";
const INSTALL_TIMEOUT_MS = 120_000;

let folder = "";
let usage: Usage;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "panewatch-tokscale-"));
  const npm = Bun.spawnSync(
    ["npm", "install", "--no-audit", "--no-fund", "--prefix", folder, `${PACKAGE}@${VERSION}`],
    { timeout: INSTALL_TIMEOUT_MS },
  );
  if (npm.exitCode !== 0) throw new Error(`npm install ${PACKAGE}: ${npm.stderr.toString()}`);
  await writeLogs(join(folder, "home"));
  const { PATH, TZ } = process.env;
  usage = new Usage({
    collector: new Collector({
      command: [join(folder, "node_modules", PACKAGE, "bin", "tokscale")],
      env: { PATH, TZ, HOME: join(folder, "home") },
    }),
    settings: () => ({
      usage_enabled: true,
      usage_quota_refresh: 3600,
      usage_report_refresh: 3600,
    }),
    clock: systemClock,
    log: console,
  });
  usage.settingsChanged();
  await until(
    () => (usage.history("monthly", 1).fetched_at > 0 ? usage.info().quota_age : null),
    60_000,
  );
}, INSTALL_TIMEOUT_MS);

afterAll(async () => {
  await usage.stop();
  await rm(folder, { recursive: true });
});

test("today's tokens are those of both agents' logs", () => {
  const reply = UsageReply.strict().parse(usage.reply());
  expect(reply).toMatchObject({ available: true, reason: null, stale: false, quotas: [] });
  expect(reply.today).toMatchObject({
    date: localDate(systemClock.now()),
    totals: {
      input: 100 + 600,
      output: 50 + 50,
      cache_read: 400 + 300,
      cache_write: 30,
      reasoning: 20,
      total: 100 + 50 + 400 + 30 + 970,
      messages: 2,
    },
    yesterday: { input: 1000, output: 500, messages: 1 },
  });
  expect(reply.today?.top_clients.map(({ name }) => name).sort()).toEqual(["claude", "codex"]);
});

test("every period has its buckets", () => {
  const buckets = (period: "hourly" | "daily" | "monthly") =>
    UsageHistory.strict().parse(usage.history(period, 30)).buckets;
  expect(buckets("daily").map(({ bucket }) => bucket)).toEqual([
    localDate(systemClock.now(), 1),
    localDate(systemClock.now()),
  ]);
  expect(buckets("hourly").reduce((all, { totals }) => all + totals.messages, 0)).toBe(2);
  expect(buckets("monthly").reduce((all, { totals }) => all + totals.messages, 0)).toBe(3);
});

async function writeLogs(home: string): Promise<void> {
  const now = new Date();
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1, 12);
  await writeLines(
    join(home, ".claude/projects/-srv-app/11111111-1111-4111-8111-111111111111.jsonl"),
    [
      claudeMessage("1", yesterday, { input_tokens: 1000, output_tokens: 500 }),
      claudeMessage("2", now, {
        input_tokens: 100,
        output_tokens: 50,
        cache_read_input_tokens: 400,
        cache_creation_input_tokens: 30,
      }),
    ],
  );
  const timestamp = now.toISOString();
  const tokens = {
    input_tokens: 900,
    cached_input_tokens: 300,
    output_tokens: 70,
    reasoning_output_tokens: 20,
    total_tokens: 970,
  };
  const id = "22222222-2222-4222-8222-222222222222";
  await writeLines(
    join(home, `.codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-${id}.jsonl`),
    [
      { timestamp, type: "session_meta", payload: { id, timestamp, cwd: "/srv/app" } },
      { timestamp, type: "turn_context", payload: { cwd: "/srv/app", model: "gpt-5-codex" } },
      {
        timestamp,
        type: "event_msg",
        payload: {
          type: "token_count",
          info: { total_token_usage: tokens, last_token_usage: tokens },
        },
      },
    ],
  );
}

function claudeMessage(id: string, at: Date, tokens: Record<string, number>): object {
  return {
    type: "assistant",
    sessionId: "11111111-1111-4111-8111-111111111111",
    uuid: `0000000${id}-0000-4000-8000-000000000000`,
    requestId: `req_${id}`,
    timestamp: at.toISOString(),
    cwd: "/srv/app",
    message: {
      id: `msg_${id}`,
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5-20250929",
      content: [{ type: "text", text: "Done." }],
      usage: tokens,
    },
  };
}

async function writeLines(path: string, lines: readonly object[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}
