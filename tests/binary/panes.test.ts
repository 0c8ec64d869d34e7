import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Asker } from "../support/asker.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";

const EXECUTABLE = join(import.meta.dir, "..", "..", "dist", "panewatch");
const TOKEN = "a-token-of-the-test";
const DEADLINE_MS = 60_000;

let tmux: PrivateTmux;
let asker: Asker;
let pane = "";
let service: Bun.Subprocess<"ignore", "pipe", "ignore">;
let url = "";

const environment = () => ({ ...tmux.env, HOME: tmux.folder, NO_COLOR: "1" });

beforeAll(async () => {
  tmux = await PrivateTmux.start({ width: 100, height: 30 });
  await mkdir(join(tmux.folder, "bin"), { recursive: true });
  asker = new Asker(join(tmux.folder, "bin"));
  pane = await tmux.open(asker.command);
  await start();
});
afterAll(async () => {
  service?.kill("SIGTERM");
  await service?.exited;
  await tmux?.stop();
});

/** The service of this home, behind a token that no command is told. */
async function start(): Promise<void> {
  service = Bun.spawn([EXECUTABLE, "--port", "0", "--token", TOKEN], {
    env: environment(),
    stdio: ["ignore", "pipe", "ignore"],
  });
  const lines = readLines(service.stdout);
  url = await until(() => /http:\/\/\S+/.exec(lines.join("\n"))?.[0] ?? null, DEADLINE_MS);
}

const ask = (method: string, path: string, body?: object) =>
  fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });

async function panewatch(...args: string[]) {
  const child = begin(args);
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { stdout, stderr, code };
}

const begin = (args: readonly string[]) =>
  Bun.spawn([EXECUTABLE, ...args], {
    env: environment(),
    stdio: ["ignore", "pipe", "pipe"],
    timeout: DEADLINE_MS,
  });

interface Listed {
  id: string;
  target: string;
  prompt: string | null;
  state: string;
  question: string | null;
  options: { key: string; label: string }[];
}

const listed = async (): Promise<Listed> =>
  until(async () => {
    const all: Listed[] = JSON.parse((await panewatch("ls", "--json")).stdout);
    return all.find(({ id }) => id === pane) ?? null;
  });

const waiting = () =>
  until(async () => {
    const found = await listed();
    return found.prompt !== null && found.state === "waiting" ? found : null;
  }, DEADLINE_MS);

test("ls names what waits with the code of its prompt, first; show has its options", async () => {
  const { prompt, target, question, options } = await waiting();
  expect(prompt).toMatch(new RegExp(`^${target}@[0-9a-f]{6}$`));
  expect(question).toBe("Do you want to proceed?");
  expect(options.map(({ key }) => key)).toEqual(["1", "2", "3"]);
  const { stdout } = await panewatch("ls");
  expect(stdout.split("\n")[0]).toMatch(/^waiting {2}\S+@[0-9a-f]{6} {2}Claude Code +\d+[sm] /);
  const shown = await panewatch("show", target);
  expect(shown.stdout).toContain("   make step-1\n");
  expect(shown.stdout).toContain(`${prompt}  Do you want to proceed?\n  1  Yes\n`);
  expect((await panewatch("status-line")).stdout).toBe("1 waiting\n");
});

test("an answer goes to the prompt that was seen, and to no other", async () => {
  const { prompt, target } = await waiting();
  const without = await panewatch("answer", target, "1");
  expect([without.code, without.stderr]).toEqual([
    2,
    expect.stringContaining(`answer needs what was seen: ${target}@CODE`),
  ]);
  expect((await panewatch("answer", prompt ?? "", "7")).stderr).toContain("has no option 7");
  asker.turn();
  await until(async () => ((await waiting()).prompt !== prompt ? true : null));
  const late = await panewatch("answer", prompt ?? "", "1");
  expect([late.code, late.stderr]).toEqual([1, expect.stringContaining("asks something else now")]);
  expect(asker.arrivals).toEqual([]);
  expect((await panewatch("send", target, "hello")).code).toBe(1);

  const ended = begin(["wait", target, "--until", "idle"]);
  const { code, stderr } = await panewatch("answer", (await waiting()).prompt ?? "", "1");
  expect([code, stderr]).toEqual([0, ""]);
  expect(await ended.exited).toBe(0);
  expect(await new Response(ended.stdout).text()).toBe(`${target} idle\n`);
  expect(asker.arrivals).toEqual([{ question: 2, data: "1" }]);
  const nothing = await panewatch("answer", `${target}@000000`, "1");
  expect([nothing.code, nothing.stderr]).toEqual([1, expect.stringContaining("asks nothing now")]);
});

test("watch prints a line for each transition, wait outlives a restart of the service", async () => {
  const { target } = await listed();
  const watching = begin(["watch", "--json"]);
  const waited = begin(["wait", target, "--until", "waiting"]);
  const lines = readLines(watching.stdout);
  await until(async () => {
    const { sessions } = (await (await ask("GET", "/api/sessions")).json()) as {
      sessions: unknown[];
    };
    return sessions.length === 2 ? true : null;
  });
  service.kill("SIGKILL");
  await service.exited;
  await start();
  asker.turn();
  expect(await waited.exited).toBe(0);
  const line = await until(() => lines.find((one) => one.includes('"to":"waiting"')) ?? null);
  expect(JSON.parse(line)).toMatchObject({
    target,
    to: "waiting",
    options: [{ key: "1" }, {}, {}],
  });
  watching.kill();
});

test("wait gives up with 1, and refuses what it does not know with 2", async () => {
  const { target } = await waiting();
  expect((await panewatch("wait", target, "--until", "gone", "--timeout", "0.2")).code).toBe(1);
  const unknown = await panewatch("wait", "nowhere:1.0");
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("no pane nowhere")]);
  expect((await panewatch("wait", "--until", "done")).stderr).toContain("--until knows no");
});

test("a shell is written to, and without a service every command says so", async () => {
  await ask("PATCH", "/api/config", { include_shells: true });
  const shell = await tmux.open();
  const file = join(tmux.folder, "written");
  const sent = await until(async () => {
    const result = await panewatch("send", shell, "echo", "one", ">", file);
    return result.code === 0 ? result : null;
  });
  expect(sent.stderr).toBe("");
  await until(async () => ((await Bun.file(file).exists()) ? true : null));
  const home = join(tmux.folder, "elsewhere");
  await mkdir(home, { recursive: true });
  await writeFile(join(home, "note"), "");
  const child = Bun.spawn([EXECUTABLE, "ls"], {
    env: { ...environment(), HOME: home },
    stdio: ["ignore", "ignore", "pipe"],
  });
  expect(await new Response(child.stderr).text()).toContain("no panewatch runs with");
  expect(await child.exited).toBe(2);
});

function readLines(stream: ReadableStream<Uint8Array>): string[] {
  const lines: string[] = [];
  void (async () => {
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true });
      const parts = text.split("\n");
      text = parts.pop() ?? "";
      lines.push(...parts);
    }
  })();
  return lines;
}
