import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { resolve, type Layer } from "../../src/config/resolve.ts";
import { JsonFile } from "../../src/lib/json-file.ts";
import { createLog } from "../../src/lib/log.ts";
import {
  AiNamer,
  type AiNamerDeps,
  NAME_AFTER_SECONDS,
  openAiNamer,
  parseAnswer,
  questionOf,
} from "../../src/naming/ai.ts";
import { askBackend, askProgram, BACKEND_COMMANDS } from "../../src/naming/backends.ts";
import { NAME_LIFETIME_SECONDS, NameCache, NAMES_FILE } from "../../src/naming/cache.ts";
import { shellScript } from "../support/shell-script.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";
import { namedPane } from "./named-pane.ts";

const DEADLINE_MS = 20_000;
const PANE = namedPane({ title: "✳ Fixing", command: "claude", cwd: "/srv/shop-api" });
const LOOK = { kind: "agent_a" as const, lines: ["run the tests", "", "3 failed"] };

let folder = "";
let lines: string[] = [];
const running: AiNamer[] = [];
beforeEach(async () => {
  folder = await temporary("naming");
  lines = [];
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((namer) => namer.stop()));
});

const log = createLog((line) => lines.push(line));
const configOf = (yaml: Layer = {}) => resolve({ yaml, overlay: {}, flags: {} });

/** `wall`: the difference of the wall clock to the monotonic one. */
function cacheIn(at: { now: number; wall?: number }) {
  const clock = { now: () => at.now + (at.wall ?? 0), monotonic: () => at.now };
  const file = new JsonFile(join(folder, NAMES_FILE), { log, clock });
  return { clock, cache: new NameCache(file, clock) };
}

/** A namer whose clock runs ahead of the settle time at the second look. */
function namerWith(answer: NonNullable<AiNamerDeps["ask"]>, yaml: Layer = {}) {
  const at = { now: 1000 };
  const { clock, cache } = cacheIn(at);
  const namer = new AiNamer({
    config: configOf(yaml),
    cache,
    env: {},
    clock,
    log,
    ask: answer,
  });
  running.push(namer);
  const settle = () => {
    namer.nameOf(PANE, LOOK);
    at.now += NAME_AFTER_SECONDS;
    namer.nameOf(PANE, LOOK);
  };
  return { namer, at, cache, settle };
}

test("a file of names that cannot be read switches naming by a model off, and is not touched", async () => {
  await mkdir(join(folder, NAMES_FILE));
  const { clock } = cacheIn({ now: 1000 });
  const config = configOf({ "auto_naming.ai_enabled": true });
  expect(await openAiNamer({ config, stateDir: folder, env: {}, clock, log })).toBeNull();
  expect(lines.join("")).toContain(
    `naming by a model is off: cannot read ${join(folder, NAMES_FILE)}`,
  );
  expect(await readdir(folder)).toEqual([NAMES_FILE]);
});

test("a pane's name is asked for once, beside the passes, and saved in a private file", async () => {
  let asked = 0;
  const { namer, settle } = namerWith(async () => {
    asked++;
    return "fix the shop tests\n";
  });
  settle();
  expect(namer.nameOf(PANE, LOOK)).toBeNull();
  namer.start();
  await until(() => namer.nameOf(PANE, LOOK) !== null);
  expect(namer.nameOf(PANE, LOOK)).toBe("fix the shop tests");
  expect(asked).toBe(1);
  const file = join(folder, NAMES_FILE);
  await until(() => existsSync(file) || null);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("a pane that has just begun or runs an unlisted program is not named by a model", async () => {
  let asked = 0;
  const { namer } = namerWith(async () => String(++asked));
  namer.nameOf(PANE, LOOK);
  namer.nameOf({ ...PANE, identity: "2", command: "bash" }, { ...LOOK, kind: "shell" });
  namer.start();
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  expect(asked).toBe(0);
});

test("a hung backend delays no pass, no stop and no clearing of the names", async () => {
  let began = false;
  const { namer, cache, settle } = namerWith(
    (_, __, { signal }) =>
      new Promise((_resolve, reject) => {
        began = true;
        signal.addEventListener("abort", () => reject(new Error("stopped")));
      }),
  );
  await cache.add("k", "secret project");
  settle();
  namer.start();
  await until(() => began || null);
  expect(namer.nameOf(PANE, LOOK)).toBeNull();
  await rm(join(folder, NAMES_FILE));
  await until(() => cache.find("k") === null);
  await namer.stop();
  expect(lines).toEqual([]);
});

test("a failing backend is logged once, and not asked again for a while", async () => {
  let asked = 0;
  const { namer, settle } = namerWith(async () => {
    asked++;
    throw new Error("no credit");
  });
  settle();
  namer.start();
  await until(() => lines.length > 0);
  settle();
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  expect(asked).toBe(1);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("no credit");
});

/** Expects the name to last its lifetime from now on, and no longer. */
function expectItsHours(cache: NameCache, at: { now: number }): void {
  at.now += NAME_LIFETIME_SECONDS - 1;
  expect(cache.find("k")).toBe("name");
  at.now += 1;
  expect(cache.find("k")).toBeNull();
}

test("a saved name outlives a restart, expires, and goes when the file is removed", async () => {
  const at = { now: 1000 };
  await cacheIn(at).cache.add("k", "name");
  const { cache } = cacheIn(at);
  await cache.load();
  expectItsHours(cache, at);
  expect(cache.find("constructor")).toBeNull();
  at.now = 1000;
  await rm(join(folder, NAMES_FILE));
  await cache.clearIfRemoved();
  expect(cache.find("k")).toBeNull();
});

test("the lifetime of a saved name does not follow the wall clock, also over a restart", async () => {
  for (const seconds of [-1e6, 1e6]) {
    const at = { now: 1000, wall: 1e9 };
    const { cache } = cacheIn(at);
    await cache.add("k", "name");
    at.wall += seconds;
    expectItsHours(cache, at);
  }
  const at = { now: 1000, wall: 1e9 };
  await cacheIn(at).cache.add("k", "name");
  at.wall -= 1e6;
  const { cache } = cacheIn(at);
  await cache.load();
  expectItsHours(cache, at);
});

test("names that are cleared while the backend is asked stay cleared", async () => {
  const answer = Promise.withResolvers<string>();
  let asked = false;
  const { namer, cache, settle } = namerWith(async () => {
    asked = true;
    return await answer.promise;
  });
  await cache.add("k", "secret project");
  settle();
  namer.start();
  await until(() => asked || null);
  await rm(join(folder, NAMES_FILE));
  answer.resolve("shop tests");
  await until(() => namer.nameOf(PANE, LOOK) !== null);
  await until(() => existsSync(join(folder, NAMES_FILE)) || null);
  expect(cache.find("k")).toBeNull();
  expect(await readFile(join(folder, NAMES_FILE), "utf8")).not.toContain("secret project");
});

test("a name that is added while the cache notices its clearing is kept", async () => {
  const { cache } = cacheIn({ now: 1000 });
  await cache.add("k", "secret project");
  await rm(join(folder, NAMES_FILE));
  await Promise.all([cache.add("k", "shop tests"), cache.clearIfRemoved(), cache.clearIfRemoved()]);
  expect(cache.find("k")).toBe("shop tests");
});

test("the file keeps the newest 500 names", async () => {
  const at = { now: 500 };
  const { cache } = cacheIn(at);
  const before = Array.from({ length: 500 }, (_, index) => [`k${index}`, { name: "n", at: index }]);
  await writeFile(join(folder, NAMES_FILE), JSON.stringify(Object.fromEntries(before)));
  await cache.load();
  for (; at.now < 505; at.now++) await cache.add(`k${at.now}`, "n");
  await cache.add("k5", "n");
  const saved = JSON.parse(await readFile(join(folder, NAMES_FILE), "utf8"));
  expect(Object.keys(saved)).toHaveLength(500);
  expect(saved.k504).toEqual({ name: "n", at: 504 });
  expect(saved.k5).toEqual({ name: "n", at: 505 });
  expect(saved.k4).toBeUndefined();
});

test.each([true, false])(
  "a corrupt file of names is moved aside and logged (naming on: %p)",
  async (isOn) => {
    const { clock } = cacheIn({ now: 1000 });
    const config = configOf({ "auto_naming.ai_enabled": isOn });
    for (const content of ["{", "[]", `{"k": 1}`, `{"k": {"name": 1, "at": 2}}`]) {
      await writeFile(join(folder, NAMES_FILE), content);
      await openAiNamer({ config, stateDir: folder, env: {}, clock, log });
    }
    expect((await readdir(folder)).filter((name) => name.includes(".corrupt-"))).toHaveLength(4);
    expect(lines).toHaveLength(4);
    expect(lines[0]).toContain(`${NAMES_FILE} is unusable`);
  },
);

test("naming by a model is off by default and with a timeout of 0", async () => {
  const at = { now: 0 };
  const rest = { stateDir: folder, env: {}, clock: cacheIn(at).clock, log };
  expect(await openAiNamer({ config: configOf(), ...rest })).toBeNull();
  const on = { "auto_naming.ai_enabled": true } as const;
  expect(
    await openAiNamer({ config: configOf({ ...on, "auto_naming.timeout": 0 }), ...rest }),
  ).toBeNull();
  expect(await openAiNamer({ config: configOf(on), ...rest })).not.toBeNull();
});

test("a backend is asked without tools, with the pane's text on stdin and not in the arguments", () => {
  for (const backend of ["claude", "codex"] as const) {
    const { argv, stdin } = BACKEND_COMMANDS[backend](configOf(), "PANE TEXT");
    expect(argv[0]).toBe(backend);
    expect(argv.join(" ")).not.toContain("PANE TEXT");
    expect(stdin).toContain("PANE TEXT");
  }
  const claude = BACKEND_COMMANDS.claude(configOf(), "x");
  expect(claude.argv[claude.argv.indexOf("--tools") + 1]).toBe("");
  expect(claude.argv).toContain("--no-session-persistence");
  expect(claude.argv.slice(-2)).toEqual(["--model", "haiku"]);
});

test("the antigravity backend is asked with its own flags, model and prompt", () => {
  const yaml: Layer = {
    "auto_naming.antigravity_bin": "/opt/agy",
    "auto_naming.antigravity_flags": ["--sandbox"],
    "auto_naming.antigravity_model": "small",
    "auto_naming.system_prompt": "name it",
  };
  expect(BACKEND_COMMANDS.antigravity(configOf(yaml), "text")).toEqual({
    argv: ["/opt/agy", "--sandbox", "--model", "small", "-p", "name it\n\ntext"],
    stdin: null,
  });
});

test("a process backend runs in an empty private folder that is removed, within its limits", async () => {
  const { signal } = new AbortController();
  const PATH = process.env.PATH ?? "";
  const answerOf = async (name: string, body: string, timeoutMs = DEADLINE_MS) => {
    const argv = [await shellScript(join(folder, name), body)];
    const env = { PATH, MINE: "kept" };
    return askProgram({ argv, stdin: "the question" }, { env, timeoutMs, signal });
  };
  expect(await answerOf("echo", 'cat; echo; ls -A | wc -l; echo "$MINE$HOME"')).toBe(
    "the question\n0\nkept\n",
  );
  const mode = "stat -c %a . 2>/dev/null || stat -f %Lp .";
  const [where = "", permissions] = (await answerOf("where", `pwd\n${mode}`)).split("\n");
  expect([where.startsWith(folder), permissions, existsSync(where)]).toEqual([false, "700", false]);
  await expect(answerOf("fails", "echo secret >&2; exit 3")).rejects.toThrow(/ended with 3$/);
  await expect(answerOf("hangs", "sleep 20 & sleep 20", 300)).rejects.toThrow(/300 ms/);
  await expect(answerOf("floods", "cat /dev/zero")).rejects.toThrow(/65536/);
});

test("the process of a backend gets only the environment variables that it needs", async () => {
  const env = {
    PATH: process.env.PATH,
    HOME: "/home/me",
    ANTHROPIC_API_KEY: "a",
    OPENAI_API_KEY: "o",
    AWS_SECRET_ACCESS_KEY: "s",
    PANEWATCH_TOKEN: "t",
    TMUX: "/tmp/x,1,0",
    SSH_AUTH_SOCK: "/x",
  };
  const program = await shellScript(join(folder, "env"), "env | cut -d= -f1");
  const passedTo = async (backend: "claude" | "codex" | "antigravity") => {
    const config = configOf({
      "auto_naming.ai_backend": backend,
      [`auto_naming.${backend}_bin`]: program,
    });
    const { signal } = new AbortController();
    const answer = await askBackend(config, "x", { env, timeoutMs: DEADLINE_MS, signal });
    const names = answer.trim().split("\n");
    // The shell sets some of its own.
    return Object.keys(env).filter((name) => names.includes(name));
  };
  expect(await passedTo("claude")).toEqual(["PATH", "HOME", "ANTHROPIC_API_KEY"]);
  expect(await passedTo("codex")).toEqual(["PATH", "HOME", "OPENAI_API_KEY"]);
  expect(await passedTo("antigravity")).toEqual(["PATH", "HOME"]);
});

test("a local endpoint gets its key past any proxy and no redirect, and its answer is bounded", async () => {
  const proxies = { HTTP_PROXY: process.env.HTTP_PROXY, http_proxy: process.env.http_proxy };
  // Nothing listens on port 9.
  process.env.HTTP_PROXY = process.env.http_proxy = "http://127.0.0.1:9";
  const seen: { path: string; key: string | null; body: unknown }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const path = new URL(request.url).pathname;
      seen.push({ path, key: request.headers.get("authorization"), body: await request.json() });
      if (path === "/away") return Response.redirect("/stolen", 307);
      if (path === "/flood") return new Response("x".repeat(100_000));
      if (path === "/echo") return new Response("PANE was told");
      if (path === "/odd") return Response.json({ choices: [] });
      if (path === "/busy") return new Response("", { status: 503 });
      return Response.json({ choices: [{ message: { content: "shop tests" } }] });
    },
  });
  try {
    const { signal } = new AbortController();
    const asking = (path: string) =>
      askBackend(
        configOf({
          "auto_naming.ai_backend": "local",
          "auto_naming.local_url": new URL(path, server.url).href,
          "auto_naming.local_api_key": "key",
          "auto_naming.local_model": "small",
        }),
        "PANE",
        { env: {}, timeoutMs: DEADLINE_MS, signal },
      );
    expect(await asking("/v1")).toBe("shop tests");
    expect(seen[0]).toMatchObject({ key: "Bearer key", body: { model: "small", stream: false } });
    await expect(asking("/away")).rejects.toThrow();
    await expect(asking("/flood")).rejects.toThrow(/65536/);
    // The log holds no word of the answer.
    await expect(asking("/echo")).rejects.toThrow("holds no message");
    await expect(asking("/odd")).rejects.toThrow(/no message/);
    await expect(asking("/busy")).rejects.toThrow(/503/);
    expect(seen.map(({ path }) => path)).not.toContain("/stolen");
  } finally {
    for (const [name, value] of Object.entries(proxies))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    await server.stop(true);
  }
});

test("the question to a model is bounded, and holds the folder's name but not its path", () => {
  const many = Array.from({ length: 500 }, (_, i) => `line ${i} ${"x".repeat(500)}\u001b[31m`);
  const question = questionOf({ ...PANE, title: "t".repeat(9999) }, many);
  expect(question.length).toBeLessThan(10_000);
  expect(question).toContain("line 499");
  expect(question).not.toContain("line 400 ");
  expect(question).toContain("Folder: shop-api");
  expect(question).not.toContain("/srv");
  expect(question).not.toContain("\u001b");
});

const ANSWERS: [string, string | null][] = [
  ["fix shop tests\n", "fix shop tests"],
  ['"Fix shop tests."', "Fix shop tests"],
  ["\n\n**fix tests**\nbecause they fail", "fix tests"],
  ["\u001b[32mgreen name\u001b[0m", "green name"],
  ["a name that is far too long for a row", "a name that is far too…"],
  ["", null],
  ['"".', null],
  ["\u0007\n", null],
  ["I am sorry ".repeat(40), null],
];
for (const [answer, name] of ANSWERS) {
  test(`the answer ${JSON.stringify(answer.slice(0, 30))} gives ${JSON.stringify(name)}`, () => {
    expect(parseAnswer(answer, 24)).toBe(name);
  });
}

test("an answer of 64 KiB of points delays no pass", () => {
  const start = process.cpuUsage();
  expect(parseAnswer(`${".".repeat(64 * 1024)}x`, 24)).toBeNull();
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(250);
});
