import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { VERSION } from "../src/protocol/version.ts";
import { becomes } from "./support/becomes.ts";
import { endStrays } from "./support/strays.ts";
import { until } from "./support/until.ts";
import { temporary } from "./support/temporary.ts";
import { endOf, readUntil } from "./support/child.ts";
import { freePort } from "./support/free-port.ts";
import { PANEWATCH } from "./support/program.ts";
import { shellScript } from "./support/shell-script.ts";

const DEADLINE_MS = 100_000;

let home = "";
beforeEach(async () => {
  home = await temporary("main");
});
afterEach(async () => {
  // A service that is killed leaves a hanging tmux behind.
  await endStrays(home, 0);
});

/** Temporary files of a killed service lie in the home, which is removed. */
const environment = () => ({
  ...{ PATH: process.env.PATH ?? "", HOME: home, TMUX_TMPDIR: home, TMPDIR: home },
});

/** Runs a program for which no write to a file succeeds. */
const ON_A_FULL_DISK = ["sh", "-c", `trap "" XFSZ; ulimit -f 0; exec "$@"`, "sh"];

/** The same, with standard output in a file. */
const INTO_A_FULL_DISK = ["sh", "-c", `trap "" XFSZ; ulimit -f 0; exec "$@" > printed`, "sh"];

function start(args: readonly string[], env: Record<string, string> = {}, runner: string[] = []) {
  return Bun.spawn([...runner, ...PANEWATCH, ...args], {
    cwd: home,
    env: { ...environment(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: DEADLINE_MS,
  });
}

async function once(args: readonly string[], env: Record<string, string> = {}) {
  return endOf(start(args, env));
}

/** Starts the service and waits for its greeting. */
async function serve(args: readonly string[], runner: string[] = []) {
  const child = start(["--port", "0", ...args], {}, runner);
  const stderr = new Response(child.stderr).text();
  const decoder = new TextDecoder();
  const reader = child.stdout.getReader();
  let greeting = "";
  while (!greeting.includes("phone")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the service ended: ${greeting}${await stderr}`);
    greeting += decoder.decode(value, { stream: true });
  }
  reader.releaseLock();
  return { child, stderr, greeting, url: /http:\/\/\S+/.exec(greeting)?.[0] ?? "" };
}

async function stop(child: Bun.Subprocess): Promise<void> {
  child.kill();
  expect(await child.exited).toBe(0);
}

function tmux(...args: string[]) {
  const argv = ["tmux", "-f", "/dev/null", ...args];
  return endOf(Bun.spawn(argv, { env: environment(), stdio: ["ignore", "pipe", "pipe"] }));
}

/** Tells its version, and then does this. */
const slowTmux = (script: string) =>
  shellScript(join(home, "slow-tmux"), `[ "$1" = -V ] && exec echo tmux 3.4\n${script}`);

async function yaml(content: string): Promise<string> {
  const path = join(home, "c.yaml");
  await writeFile(path, content);
  return path;
}

test("a slow reader gets all of the output", async () => {
  const wide = Array.from({ length: 399 }, () => "-".repeat(500));
  await writeFile(join(home, "screen"), [...wide, "the last line"].join("\n"));
  const late = ["sh", "-c", `"$@" | { sleep 1; cat; }`, "sh"];
  const { stdout, stderr } = await endOf(start(["explain", "--file", "screen"], {}, late));
  expect(stderr).toBe("");
  expect(stdout.includes("the last line")).toBe(true);
});

test.each([["--help"], ["--version"], ["explain --file screen"]])(
  "%s ends with 1 and an error if its output cannot be written",
  async (words) => {
    await writeFile(join(home, "screen"), "words\n".repeat(50_000));
    const { stderr, code } = await endOf(start(words.split(" "), {}, INTO_A_FULL_DISK));
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^panewatch: cannot print: .+\n$/)]);
  },
);

test("--version and --help print and end with 0", async () => {
  expect(await once(["--version"])).toEqual({ stdout: `${VERSION}\n`, stderr: "", code: 0 });
  const help = await once(["--help"]);
  expect(help.code).toBe(0);
  const flags = ["host", "port", "token", "include-shells", "terminal-provider", "wsp-session"];
  for (const flag of flags) expect(help.stdout).toContain(`--${flag}`);
  expect(help.stdout).toContain("-c, --config");
  expect(help.stdout).toContain("doctor");
  // No colours where no terminal is.
  expect(help.stdout).not.toContain("\u001b");
  expect(await once(["doctor", "-h"])).toMatchObject({ code: 0, stderr: "" });
});

const REFUSED: [string[], string][] = [
  [["--prot", "1"], "--prot"],
  [["--terminal-provider", "wsp"], "wsp session: none is named"],
  [["--host", "0.0.0.0"], "refusing to bind 0.0.0.0 with an empty token"],
  [["--config", "none.yaml"], "none.yaml: no such file"],
];
for (const [args, part] of REFUSED) {
  test(`a refused start prints one line on stderr and ends with 2: ${args.join(" ")}`, async () => {
    const { stdout, stderr, code } = await once(args);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toContain(part);
  });
}

for (const [content, part] of [
  ["server: {host: 0.0.0.0}\n", "refusing to bind 0.0.0.0"],
  ["server: {port: high}\n", "server.port"],
] as const) {
  test(`service install refuses a configuration that the service would refuse: ${content.trim()}`, async () => {
    const path = await yaml(content);
    const reply = await once(["service", "install", "--dry-run", "-c", path]);
    expect(reply).toMatchObject({ code: 2, stdout: "" });
    expect(reply.stderr).toContain(part);
  });
}

test("a refusal has no character that acts on the terminal or reorders it", async () => {
  const { code, stderr } = await once(["\u001b[2J\u202ea\u0007b\u2066"]);
  expect(code).toBe(2);
  expect(stderr).toStartWith("panewatch: unexpected argument ");
  expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u2066]/);
});

test("service install keeps the tmux server and proxy of its shell, and no secrets", async () => {
  const path = await yaml("auto_naming: {ai_enabled: true}\n");
  const shell = {
    TMUX: "/run/me/work,812,0",
    https_proxy: "http://proxy:3128",
    ANTHROPIC_API_KEY: "sk-secret",
  };
  const reply = await once(["service", "install", "--dry-run", "-c", path], shell);
  expect(reply.code).toBe(0);
  expect(reply.stdout).toMatch(/TMUX\W.*\/run\/me\/work\b(?!,)/s);
  expect(reply.stdout).toMatch(/https_proxy\W.*http:\/\/proxy:3128/s);
  expect(reply.stdout).toContain("the tmux server of this pane, /run/me/work");
  expect(reply.stdout).toContain("docs/service.md for ANTHROPIC_API_KEY");
  expect(reply.stdout).not.toContain("sk-secret");

  const named = await yaml("mux: {socket: mine}\n");
  const other = await once(["service", "install", "--dry-run", "-c", named], shell);
  expect(other.stdout).not.toContain("/run/me/work");
});

test("a folder that cannot be used is a one-line error", async () => {
  const missing = join(home, "none");
  const demo = await once(["demo"], { TMPDIR: missing });
  expect(demo).toMatchObject({ code: 2, stdout: "" });
  expect(demo.stderr).toMatch(/^panewatch: ENOENT: .*none.*\n$/);
  await mkdir(join(home, "panewatch-names.json", "folder"), { recursive: true });
  const clear = await once(["names", "clear", "-c", join(home, "c.yaml")]);
  expect(clear).toMatchObject({ code: 2, stdout: "" });
  expect(clear.stderr).toMatch(/^panewatch: .*panewatch-names.json.*\n$/);
});

test("a missing program is a one-line error", async () => {
  const added = await once(["hosts", "add", "gpu-1"], { PATH: home });
  expect(added).toEqual({
    stdout: "",
    stderr: expect.stringContaining("cannot be started"),
    code: 2,
  });
  expect(added.stderr).toMatch(/^panewatch: ssh: .+\n$/);
});

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  test(`the service prints its address and ends with 0 on ${signal}`, async () => {
    const runner = ["env", `--default-signal=${signal}`];
    const { child, url, greeting, stderr } = await serve(["--token", "sesame-open"], runner);
    expect(greeting).toContain(join(home, ".panewatch"));
    expect(greeting).toMatch(/\nOn a phone: .+ phone\n$/);
    expect(greeting).not.toContain("sesame");
    expect((await fetch(`${url}/api/state`)).status).toBe(401);
    const reply = await fetch(`${url}/api/config`, {
      headers: { authorization: "Bearer sesame-open" },
    });
    expect(await reply.json()).toMatchObject({ _info: { port: Number(new URL(url).port) } });
    child.kill(signal);
    expect(await child.exited).toBe(0);
    expect(await stderr).not.toContain("sesame");
  });
}

test("the service under nohup survives SIGHUP", async () => {
  const { child } = await serve([], ["nohup"]);
  child.kill("SIGHUP");
  // A second signal would end it with another code.
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
});

test("the greeting's phone command has the --config of the service", async () => {
  const config = await yaml("");
  const { child, greeting } = await serve(["--config", config]);
  expect(greeting).toEndWith(` phone --config ${config}\n`);
  await stop(child);
});

/**
 * A collector that never ends; the answer tells whether one runs. What its shell was just starting
 * when both were killed may be seen a little longer than the shell, whose end the service awaits.
 */
async function endlessCollector(settings = "") {
  const path = await shellScript(join(home, "collector"), "sleep 60");
  const isOurs = async (pid: string) =>
    (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).includes(`${path}\0`);
  return {
    config: await yaml(`usage: {enabled: true, command: '${path}'}\n${settings}`),
    isRunning: async () => (await Promise.all((await readdir("/proc")).map(isOurs))).includes(true),
  };
}

test("a refused start leaves no process running", async () => {
  const { config, isRunning } = await endlessCollector();
  using taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const port = String(taken.port);
  const { code, stderr } = await once(["--config", config, "--port", port]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`port ${port}`)]);
  await becomes(isRunning, false);
});

test("a closed terminal ends the service and its processes, though the greeting is not yet printed", async () => {
  // The first pass lasts longer than the terminal, and the greeting follows it.
  const slow = await slowTmux("sleep 1\nexit 1");
  const { config, isRunning } = await endlessCollector(`mux: {binary: '${slow}'}\n`);
  const child = Bun.spawn([...PANEWATCH, "--port", "0", "--config", config], {
    cwd: home,
    env: environment(),
    terminal: {},
    timeout: DEADLINE_MS,
  });
  await until(async () => (await isRunning()) || null, DEADLINE_MS);
  child.terminal?.close();
  expect(await child.exited).toBe(0);
  await becomes(isRunning, false);
});

test("a second signal ends the service at once", async () => {
  const marker = join(home, "asked");
  const slow = await slowTmux(`: > '${marker}'\nsleep 30`);
  const child = start(["--port", "0", "--config", await yaml(`mux: {binary: '${slow}'}\n`)]);
  await until(() => Bun.file(marker).exists(), DEADLINE_MS);
  child.kill("SIGTERM");
  child.kill("SIGINT");
  // A service that stops in order ends with 0.
  expect([128 + 2, 128 + 15]).toContain(await child.exited);
});

test("a second service on the same state is refused, and names the first", async () => {
  const first = await serve([]);
  const second = await once(["--port", "0"]);
  expect([second.code, second.stdout]).toEqual([2, ""]);
  expect(second.stderr).toContain(`pid ${first.child.pid}, port ${new URL(first.url).port}`);
  expect(second.stderr.trimEnd().split("\n")).toHaveLength(1);
  // Its own flags are checked first, and commands that only read are not refused.
  expect((await once(["--host", "0.0.0.0"])).stderr).toContain("refusing to bind 0.0.0.0");
  expect((await once(["doctor"])).code).toBe(0);
  // A killed service holds no lock.
  first.child.kill("SIGKILL");
  await first.child.exited;
  const third = await serve([]);
  await stop(third.child);
});

test("a service whose state folder was removed still watches, but sends nothing beside the next service", async () => {
  await tmux("new-session", "-d", "cat");
  const first = await serve([]);
  const ask = (path: string, body: object) =>
    fetch(`${first.url}${path}`, { method: "POST", body: JSON.stringify(body) });
  expect((await ask("/api/text", { id: "%0", text: "before" })).status).toBe(200);
  await rm(join(home, ".panewatch"), { recursive: true });
  const next = await serve([]);
  const refused = await ask("/api/text", { id: "%0", text: "after" });
  expect(refused.status).toBe(500);
  expect(await refused.text()).toContain("nothing was sent: the state directory was removed");
  expect((await fetch(`${first.url}/api/state`)).status).toBe(200);
  await stop(first.child);
  // The holder file is the next service's.
  expect((await once(["ls"])).code).toBe(0);
  expect((await tmux("capture-pane", "-p", "-t", "%0")).stdout.trim()).toBe("before");
  await stop(next.child);
  await tmux("kill-server");
});

test("what signs in does not come back once the state folder was removed", async () => {
  const { child, url } = await serve([]);
  const ask = async (path: string, body: object, token = "") => {
    const headers = { authorization: `Bearer ${token}` };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    return (await fetch(`${url}${path}`, init)).json();
  };
  const { token } = await ask("/api/phone/token", {});
  const { url: link } = await ask("/api/pair/codes", {}, token);
  const phone = await ask("/api/pair", { code: new URL(link).hash.replace("#pair=", "") });
  const folder = join(home, ".panewatch");
  await rm(folder, { recursive: true });
  const headers = { authorization: `Bearer ${phone.token}` };
  expect((await fetch(`${url}/api/state`, { headers })).status).toBe(200);
  const settings = { method: "PATCH", headers, body: '{"capture_lines":150}' };
  headers.authorization = `Bearer ${token}`;
  const refused = await fetch(`${url}/api/config`, settings);
  expect(refused.status).toBe(500);
  expect(await refused.text()).toContain("nothing was saved: the state directory was removed");
  await stop(child);
  const left = await readdir(folder).catch(() => []);
  expect(left.filter((name) => /access|settings/.test(name))).toEqual([]);
});

test("a start waits for a service that is stopping", async () => {
  const first = await serve([]);
  const next = serve([]);
  await Bun.sleep(200);
  first.child.kill();
  const second = await next;
  expect(await first.child.exited).toBe(0);
  await stop(second.child);
});

test("on a full disk the service runs, logs failed writes, and keeps no half change", async () => {
  const { child, url, stderr } = await serve([], ON_A_FULL_DISK);
  expect((await fetch(`${url}/api/state`)).status).toBe(200);
  const patch = { method: "PATCH", body: JSON.stringify({ poll_interval: 5 }) };
  const reply = await fetch(`${url}/api/config`, patch);
  expect([500, 507]).toContain(reply.status);
  expect(await (await fetch(`${url}/api/config`)).json()).toMatchObject({ poll_interval: 0.7 });
  await stop(child);
  const lines = (await stderr).trim().split("\n");
  expect(lines.filter((line) => line.includes("server-instance-id"))).toHaveLength(1);
  expect(lines.filter((line) => !/^\S+ (warn|error|info) |^ {6}at |Error: /.test(line))).toEqual(
    [],
  );
  const left = await readdir(join(home, ".panewatch"));
  expect(left.filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test("a service that cannot print its greeting runs", async () => {
  const port = freePort();
  const child = start(["--port", String(port)], {}, INTO_A_FULL_DISK);
  await readUntil(child.stderr, /greeting/);
  expect((await fetch(`http://127.0.0.1:${port}/api/state`)).status).toBe(200);
  await stop(child);
});

for (const name of ["panewatch-settings.json", "server-instance-id"]) {
  test(`an unreadable ${name} refuses the start, and stays in place`, async () => {
    const folder = join(home, ".panewatch");
    await mkdir(join(folder, name), { recursive: true });
    const { stderr, code } = await once(["--port", "0"]);
    expect(code).toBe(2);
    expect(stderr).toContain(`cannot read ${join(folder, name)} (EISDIR)`);
    expect((await stat(join(folder, name))).isDirectory()).toBe(true);
    expect((await readdir(folder)).filter((one) => one.includes("corrupt"))).toEqual([]);
    if (name !== "panewatch-settings.json") return;
    const doctor = await once(["doctor"]);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain(`FAIL  cannot read ${join(folder, name)} (EISDIR)`);
  });
}

for (const name of ["panewatch-push.json", "panewatch-vapid.json"]) {
  test(`an unreadable ${name} disables alerts only, and stays in place`, async () => {
    const path = join(home, ".panewatch", name);
    await mkdir(path, { recursive: true });
    const { child, url, stderr } = await serve([]);
    expect((await fetch(`${url}/api/state`)).status).toBe(200);
    const body = JSON.stringify({ token: "ab".repeat(16), name: "phone" });
    const reply = await fetch(`${url}/api/push/register`, { method: "POST", body });
    expect(reply.status).toBe(name === "panewatch-push.json" ? 500 : 200);
    expect((await fetch(`${url}/api/config`)).status).toBe(200);
    await stop(child);
    expect(await stderr).toContain(`cannot read ${path} (EISDIR): what it holds is not in force`);
    expect((await stat(path)).isDirectory()).toBe(true);
  });
}

test("an unreadable message queue is a 503, not an empty list", async () => {
  await mkdir(join(home, ".panewatch", "panewatch-messages.json"), { recursive: true });
  const { child, url } = await serve([]);
  const reply = await fetch(`${url}/api/queue`);
  expect([reply.status, await reply.json()]).toEqual([
    503,
    { detail: "messages that wait cannot be read" },
  ]);
  expect((await fetch(`${url}/api/state`)).status).toBe(200);
  await stop(child);
});

for (const [fault, script] of [
  ["an error", `throw new Error("boom")`],
  ["a rejection", `Promise.reject(new Error("boom"))`],
] as const) {
  test(`${fault} that was not caught is logged, and the service ends with 1`, async () => {
    const { config, isRunning } = await endlessCollector();
    const faulty = join(home, "faulty.ts");
    await writeFile(faulty, `process.on("SIGUSR2", () => { ${script}; });\n`);
    const preload = { BUN_OPTIONS: `--preload ${faulty}` };
    const child = start(["--port", "0", "-c", config], preload);
    const stderr = new Response(child.stderr).text();
    await until(async () => (await isRunning()) || null, DEADLINE_MS);
    child.kill("SIGUSR2");
    expect(await child.exited).toBe(1);
    const lines = (await stderr).split("\n");
    const faults = lines.filter((line) => line.includes("a fault that nobody caught"));
    expect(faults).toHaveLength(1);
    expect(await stderr).toContain("  Error: boom\n      at ");
    await becomes(isRunning, false);
  });
}

test("names clear removes the names, and succeeds without any", async () => {
  const path = join(home, "panewatch-names.json");
  await writeFile(path, "{}");
  for (let time = 0; time < 2; time++) {
    expect(await once(["names", "clear", "-c", join(home, "c.yaml")])).toMatchObject({ code: 0 });
    await expect(stat(path)).rejects.toThrow("ENOENT");
  }
});

test("agents clear deletes the store, but not under a running service", async () => {
  const config = await yaml("poll_interval: 1\n");
  const clear = () => once(["agents", "clear", "-c", config]);
  expect((await clear()).stdout).toContain("nothing is kept");
  const path = join(home, "panewatch-agents.sqlite3");
  await writeFile(path, "");
  expect(await clear()).toMatchObject({ code: 0, stderr: "" });
  const { child } = await serve(["--config", config]);
  const refused = await clear();
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(String(child.pid));
  await stop(child);
});

test("doctor finds nothing wrong on a good machine, and writes nothing", async () => {
  const { stdout, code } = await once(["doctor"]);
  expect(stdout).toContain("Ready.");
  expect(code).toBe(0);
  await expect(stat(join(home, ".panewatch"))).rejects.toThrow("ENOENT");
});

test("doctor reports a tmux server without a session as ok", async () => {
  await tmux("start-server", ";", "set-option", "-g", "exit-empty", "off");
  try {
    const { stdout, code } = await once(["doctor"]);
    expect(stdout).toContain("no session yet");
    expect(code).toBe(0);
  } finally {
    await tmux("kill-server");
  }
});

test("doctor recognises the running service on its port, past any proxy", async () => {
  const service = await serve(["--token", "sesame-open"]);
  const port = new URL(service.url).port;
  const { stdout, code } = await once(
    ["doctor", "--port", port, "--token", "another-token-of-mine"],
    // Nothing listens there: requests to this machine use no proxy.
    { HTTP_PROXY: "http://127.0.0.1:9", http_proxy: "http://127.0.0.1:9" },
  );
  expect(stdout).toContain(`panewatch runs at 127.0.0.1 port ${port}`);
  expect(code).toBe(0);
  await stop(service.child);
});
