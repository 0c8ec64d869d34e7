import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { UsageHistory, UsageReply } from "../../src/protocol/usage.ts";
import { Collector } from "../../src/usage/command.ts";
import { PAUSE_SECONDS, Usage, usageRoutes, type UsageSettings } from "../../src/usage/usage.ts";
import { localDate } from "../../src/usage/summary.ts";
import { until } from "../support/until.ts";
import { routed } from "../support/routed.ts";
import { shellScript } from "../support/shell-script.ts";
import { temporary } from "../support/temporary.ts";

// The collector's stand-in: each subcommand prints the file of its name, after what `.do` says.
const STAND_IN = `echo "begin $*" >> calls
[ -f "$1.do" ] && . "./$1.do"
cat "$1.json"
echo "end $1" >> calls`;

let folder: string;
let settings: UsageSettings;
let now: number;
/** How far the wall clock was moved. */
let wall: number;
let logLines: string[];
let usage: Usage;
let collector: Collector;
/** Long enough for a start beside a load. */
const PATIENT_MS = 60_000;
let limits: { timeoutMs: number };

const write = (name: string, content: unknown) =>
  writeFile(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
const calls = async () =>
  (await readFile(join(folder, "calls"), "utf8").catch(() => "")).split("\n").filter(Boolean);
const totals = { tokens: 10, cost: 2, messages: 1 };

function open(command: string[]): Usage {
  limits = { timeoutMs: PATIENT_MS };
  collector = new Collector(Object.assign(limits, { command, env: { PATH: process.env.PATH } }));
  usage = new Usage({
    collector,
    settings: () => settings,
    clock: { now: () => now + wall, monotonic: () => now },
    log: {
      debug: () => undefined,
      info: (message) => void logLines.push(message),
      warn: (message) => void logLines.push(message),
      error: (message, cause) => void logLines.push(`${message} ${String(cause)}`),
    },
  });
  return usage;
}

beforeEach(async () => {
  folder = await temporary("usage");
  settings = { usage_enabled: true, usage_quota_refresh: 3600, usage_report_refresh: 3600 };
  now = Date.now() / 1000;
  wall = 0;
  logLines = [];
  await write("usage.json", [{ provider: "Claude", metrics: [{ label: "Week" }] }]);
  await write("antigravity.json", "synced");
  await write("hourly.json", { entries: [{ hour: "2026-11-21 07:00", input: 1 }] });
  await write("graph.json", { contributions: [{ date: localDate(now), totals }] });
  await write("monthly.json", { entries: [{ month: "2026-11" }] });
  await shellScript(join(folder, "tokscale"), STAND_IN);
  // The stand-in finds its files by the folder it is started in.
  open([await shellScript(join(folder, "collector"), `cd '${folder}' && exec ./tokscale "$@"`)]);
});
afterEach(async () => {
  await usage.stop();
});

describe("the collector", () => {
  test("is run once the live setting allows it, and its values go with the setting", async () => {
    settings.usage_enabled = false;
    usage.settingsChanged();
    expect(usage.reply()).toEqual({
      available: false,
      reason: "disabled",
      detail: "Usage tracking is disabled in the server settings.",
      fetched_at: 0,
      stale: false,
      quotas: [],
      today: null,
    });
    expect((await usage.refresh("all")).reason).toBe("disabled");
    expect(await calls()).toEqual([]);

    settings.usage_enabled = true;
    usage.settingsChanged();
    await until(() => (usage.reply().quotas.length > 0 ? usage.reply().today : null));
    expect(usage.reply()).toMatchObject({ available: true, reason: null, stale: false });
    UsageReply.strict().parse(usage.reply());

    settings.usage_enabled = false;
    usage.settingsChanged();
    expect(usage.reply()).toMatchObject({ reason: "disabled", quotas: [], today: null });
  });

  test("is run with exactly the agreed arguments, one report after another", async () => {
    usage.settingsChanged();
    await usage.refresh("reports");
    const day = localDate(now);
    const reports = (await calls()).filter(
      (call) => !call.endsWith("usage") && !call.includes("usage "),
    );
    expect(reports).toEqual([
      "begin antigravity sync",
      "end antigravity",
      "begin hourly --json --today --no-spinner",
      "end hourly",
      `begin graph --since ${localDate(now, 29)} --until ${day} --no-spinner`,
      "end graph",
      "begin monthly --json --no-spinner",
      "end monthly",
    ]);
    await usage.refresh("quota");
    expect(await calls()).toContain("begin usage --json");
  });

  test("is run once for requests at the same time", async () => {
    await write("usage.do", "sleep 0.2");
    usage.settingsChanged();
    await Promise.all([usage.refresh("quota"), usage.refresh("quota"), usage.refresh("quota")]);
    expect((await calls()).filter((call) => call === "begin usage --json")).toHaveLength(1);
  });

  test("gives quotas while the reports still run", async () => {
    await write("antigravity.do", "sleep 30");
    usage.settingsChanged();
    expect((await usage.refresh("quota")).quotas).toHaveLength(1);
    expect(await calls()).not.toContain("end antigravity");
  });

  test("is run again for a new interval, and not for another setting", async () => {
    usage.settingsChanged();
    await usage.refresh("all");
    const count = async () =>
      (await calls()).filter((call) => call === "begin usage --json").length;
    const before = await count();
    now += PAUSE_SECONDS;
    settings = { ...settings };
    usage.settingsChanged();
    settings = { ...settings, usage_report_refresh: 600 };
    usage.settingsChanged();
    await until(async () => (await calls()).filter((call) => call === "end monthly")[1]);
    expect(await count()).toBe(before);
    settings = { ...settings, usage_quota_refresh: 60 };
    usage.settingsChanged();
    await until(async () => (await count()) === before + 1);
  });

  test("is not run again for five seconds after a pass, however often a client asks", async () => {
    usage.settingsChanged();
    await usage.refresh("all");
    const before = await calls();
    for (let asked = 0; asked < 5; asked++) {
      now += 0.9;
      expect((await usage.refresh("all")).quotas).toHaveLength(1);
    }
    expect(await calls()).toEqual(before);
    now += 0.5;
    await usage.refresh("quota");
    expect((await calls()).slice(before.length)).toEqual(["begin usage --json", "end usage"]);
  });

  test.each([-1e6, 1e6])("has true ages when the wall clock jumps by %d s", async (seconds) => {
    usage.settingsChanged();
    await usage.refresh("all");
    now += 60;
    wall += seconds;
    expect(usage.info()).toMatchObject({ quota_age: 60, reports_age: 60 });
  });

  test("is ended when usage stops", async () => {
    await write("usage.do", `echo $$ > pid; sleep 30`);
    usage.settingsChanged();
    const written = () => readFile(join(folder, "pid"), "utf8").catch(() => "");
    const pid = await until(async () => Number(await written()) || null);
    await usage.stop();
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    expect(await calls()).not.toContain("end usage");
    expect(logLines).toEqual([]);
  });
});

describe("a failure of the collector", () => {
  const quota = async () => {
    usage.settingsChanged();
    await usage.refresh("all");
    now += PAUSE_SECONDS;
    const { available, reason, detail, stale, quotas } = await usage.refresh("quota");
    return { available, reason, detail, stale, count: quotas.length };
  };
  const only = async (name: string) => {
    for (const other of ["hourly", "graph", "monthly"])
      if (other !== name) await write(`${other}.do`, "exit 1");
  };

  test("without an earlier value makes usage unavailable, with the reason", async () => {
    open([join(folder, "nowhere")]);
    expect(await quota()).toMatchObject({
      available: false,
      reason: "not_installed",
      detail: "The usage collector was not found on this host.",
    });
    expect(usage.info()).toMatchObject({ enabled: true, installed: false, resolved_path: null });
  });

  test("that cannot be executed counts as not installed", async () => {
    await writeFile(join(folder, "broken"), "#!/nonexistent/interpreter\n", { mode: 0o755 });
    open([join(folder, "broken")]);
    expect((await quota()).reason).toBe("not_installed");
  });

  test.each([
    ["slow", "exec sleep 30", "timeout", "The usage collector's usage did not end in time."],
    ["failing", "exit 7", "error", "The usage collector's usage ended with code 7."],
    ["killed", "kill -9 $$", "error", "The usage collector's usage ended with code 137."],
    ["garbage", "echo '<secret>'; exit 0", "error", "The usage collector's usage is not JSON."],
    ["half", "echo '[{\"provider\":'; exit 0", "error", "The usage collector's usage is not JSON."],
    [
      "another shape",
      "echo '{}'; exit 0",
      "error",
      "The usage collector's quotas has an unknown shape.",
    ],
    ["huge", "yes '[1,'", "error", "The usage collector's usage printed more than 16 MiB."],
  ])("keeps the last good value and marks it stale: %s", async (_what, script, reason, detail) => {
    usage.settingsChanged();
    const good = await usage.refresh("all");
    await write("usage.do", script);
    if (reason === "timeout") limits.timeoutMs = 100;
    now += 100;
    const after = await usage.refresh("quota");
    expect(after).toMatchObject({
      available: true,
      stale: true,
      reason,
      detail,
      quotas: good.quotas,
    });
    expect(after.fetched_at).toBe(good.fetched_at);
    expect(usage.info()).toMatchObject({ quota_age: 100, last_error: detail });

    now += PAUSE_SECONDS;
    await usage.refresh("quota");
    expect(logLines).toEqual([`usage quotas: ${detail}`]);
    await write("usage.do", "");
    limits.timeoutMs = PATIENT_MS;
    now += PAUSE_SECONDS;
    expect(await usage.refresh("quota")).toMatchObject({ stale: false, reason: null });
    expect(usage.info().last_error).toBeNull();
    expect(logLines).toHaveLength(2);
  });

  test("in one report leaves the other reports", async () => {
    await only("graph");
    await write("antigravity.do", "exit 9");
    usage.settingsChanged();
    await usage.refresh("all");
    expect(usage.reply().today?.totals).toMatchObject({ total: 10, cost: 2 });
    expect(usage.history("daily", 30)).toMatchObject({ available: true, stale: false });
    expect(usage.history("hourly", 30)).toMatchObject({
      available: false,
      reason: "error",
      fetched_at: 0,
      buckets: [],
    });
  });
});

describe("the usage routes", () => {
  const request = async (path: string, body?: unknown) => {
    const app = routed(usageRoutes(usage));
    const post = { method: "POST", body: JSON.stringify(body) };
    return (await app.request(path, body === undefined ? {} : post)).json();
  };

  test("answer in the contract's schemas", async () => {
    usage.settingsChanged();
    UsageReply.strict().parse(await request("/api/usage/refresh", { scope: "all" }));
    UsageReply.strict().parse(await request("/api/usage"));
    for (const period of ["hourly", "daily", "monthly"])
      expect(
        UsageHistory.strict().parse(await request(`/api/usage/history?period=${period}`)).buckets,
      ).toHaveLength(1);
  });

  test("clamp the days of a daily history, and ignore them for other periods", async () => {
    const contributions = [0, 10, 40].map((back) => ({ date: localDate(now, back), totals }));
    await write("graph.json", { contributions });
    usage.settingsChanged();
    await usage.refresh("all");
    const count = async (days: string) =>
      (await request(`/api/usage/history?period=daily${days}`)).buckets.length;
    expect(await count("")).toBe(2);
    expect(await count("&days=-5")).toBe(1);
    expect(await count("&days=11")).toBe(2);
    expect(await count("&days=999")).toBe(2);
    expect(await count(`&days=${"9".repeat(30)}`)).toBe(2);
    expect((await request("/api/usage/history?period=hourly&days=1")).buckets).toHaveLength(1);
  });

  test.each([
    ["/api/usage/history?period=weekly", undefined, "invalid", "bad period: weekly"],
    ["/api/usage/history", undefined, "invalid", "bad period: "],
    ["/api/usage/history?period=daily&days=x", undefined, "malformed", expect.any(Array)],
    ["/api/usage/history?period=daily&days=", undefined, "malformed", expect.any(Array)],
    ["/api/usage/history?period=daily&days=0x10", undefined, "malformed", expect.any(Array)],
    ["/api/usage/refresh", { scope: "everything" }, "invalid", "bad scope: everything"],
    ["/api/usage/refresh", {}, "malformed", expect.any(Array)],
  ])("refuse %s with %p", async (path, body, kind, detail) => {
    expect(await request(path, body)).toEqual({ kind, detail });
  });
});

test("a collector command of several words is run as an argument list", async () => {
  await mkdir(join(folder, "a b"));
  const path = await shellScript(join(folder, "a b/run it"), `echo "[\\"$#\\",\\"$1\\",\\"$2\\"]"`);
  const several = new Collector({ command: [path, "$(touch x) ;"] });
  expect(await several.json(["usage", "--json"], new AbortController().signal)).toEqual([
    "3",
    "$(touch x) ;",
    "usage",
  ]);
});
