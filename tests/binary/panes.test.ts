import { afterAll, expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StateFrame } from "../../src/protocol/frames.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { Asker } from "../support/asker.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";
import { addressOf, endOf, EXECUTABLE, textOf } from "../support/child.ts";
import { jsonRequest } from "../support/json.ts";

const TOKEN = "a-token-of-the-test";
const DEADLINE_MS = 60_000;

let service: Bun.Subprocess<"ignore", "pipe", "ignore">;
let url = "";

const environment = () => ({ ...tmux.env, HOME: tmux.folder, NO_COLOR: "1" });

const tmux = await PrivateTmux.start({ width: 100, height: 30 });
await mkdir(join(tmux.folder, "bin"), { recursive: true });
const asker = new Asker(join(tmux.folder, "bin"));
const pane = await tmux.open(asker.command);
await start();
afterAll(async () => {
  service?.kill("SIGTERM");
  await service?.exited;
  await tmux?.stop();
});

/** The service of this home, with a token that the commands do not know. */
async function start(): Promise<void> {
  service = Bun.spawn([EXECUTABLE, "--port", "0", "--token", TOKEN], {
    env: environment(),
    stdio: ["ignore", "pipe", "ignore"],
  });
  url = await addressOf(service.stdout);
}

const ask = (method: string, path: string, body?: object) =>
  fetch(`${url}${path}`, jsonRequest(method, body, { authorization: `Bearer ${TOKEN}` }));

const panewatch = (...args: string[]) => run(args);

async function run(args: readonly string[], typed = "") {
  return endOf(begin(args, new Blob([typed])));
}

const begin = (args: readonly string[], stdin = new Blob([])) =>
  Bun.spawn([EXECUTABLE, ...args], {
    env: environment(),
    stdin,
    stdout: "pipe",
    stderr: "pipe",
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

/** Polls by HTTP: starting a command for each poll would take most of the time. */
const published = (id: string, holds: (state: PaneState) => boolean) =>
  until(async () => {
    const { panes } = StateFrame.parse(await (await ask("GET", "/api/state")).json());
    return panes.find((each) => each.id === id && holds(each)) ?? null;
  }, DEADLINE_MS);
const asksNow = ({ status }: PaneState) => status === "needs_input";

const listed = (wanted = pane): Promise<Listed> =>
  until(async () => {
    const all: Listed[] = JSON.parse((await panewatch("ls", "--json")).stdout);
    return all.find(({ id }) => id === wanted) ?? null;
  });

const waiting = (id = pane) =>
  until(async () => {
    await published(id, asksNow);
    const found = await listed(id);
    return found.prompt !== null && found.state === "waiting" ? found : null;
  }, DEADLINE_MS);

test("ls lists a waiting pane first with the code of its prompt, and show has its options", async () => {
  const { prompt, target, question, options } = await waiting();
  expect(prompt).toMatch(new RegExp(`^${target}@[0-9a-f]{6}$`));
  expect(question).toBe("Do you want to proceed?");
  expect(options.map(({ key }) => key)).toEqual(["1", "2", "3"]);
  const { stdout } = await panewatch("ls");
  expect(stdout.split("\n")[0]).toMatch(/^waiting {2}\S+@[0-9a-f]{6} {2}Claude Code +\d+[sm] /);
  const show = await panewatch("show", target);
  expect(show.stdout).toContain("   make step-1\n");
  expect(show.stdout).toContain(`${prompt}  Do you want to proceed?\n  1  Yes\n`);
  expect((await panewatch("status-line")).stdout).toBe("1 waiting\n");
});

test("answer needs the code of the current prompt, and is sent to that prompt only", async () => {
  const { prompt, target } = await waiting();
  const without = await panewatch("answer", target, "1");
  expect([without.code, without.stderr]).toEqual([
    2,
    expect.stringContaining(`answer needs what was seen: ${target}@CODE`),
  ]);
  expect((await panewatch("answer", prompt ?? "", "7")).stderr).toContain("has no option 7");
  const before = await published(pane, asksNow);
  asker.turn();
  await published(pane, (now) => asksNow(now) && !Bun.deepEquals(now.evidence, before.evidence));
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

test("answer asks before a destructive option, and not before a declining option", async () => {
  const question = "echo 'rm -rf build'; read -p 'Continue? [y/N] ' x; echo \"took $x\"; sleep 60";
  const asks = async () => {
    const id = await tmux.open(["bash", "-c", question]);
    return (await waiting(id)).prompt ?? "";
  };
  const prompt = await asks();
  const why = "rm -rf deletes for good. Send it? [y/N] ";
  for (const typed of ["", "\n", "n\n"]) {
    const { code, stdout } = await run(["answer", prompt, "y"], typed);
    expect([code, stdout]).toEqual([1, expect.stringContaining(why)]);
  }
  expect((await run(["answer", prompt, "n"])).code).toBe(0);
  expect((await run(["answer", await asks(), "y"], "y\n")).code).toBe(0);
  expect(await run(["answer", await asks(), "y", "--yes"])).toMatchObject({ code: 0, stdout: "" });
});

test("watch prints a line for each transition, and wait survives a restart of the service", async () => {
  const { target } = await listed();
  const watching = begin(["watch", "--json"]);
  const waited = begin(["wait", target, "--until", "waiting"]);
  const printed = textOf(watching.stdout);
  const lines = () => printed.text.split("\n").slice(0, -1);
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
  const line = await until(() => lines().find((one) => one.includes('"to":"waiting"')) ?? null);
  expect(JSON.parse(line)).toMatchObject({
    target,
    to: "waiting",
    options: [{ key: "1" }, {}, {}],
  });
  watching.kill();
});

test("wait ends with 1 after its timeout, and with 2 for an unknown pane or state", async () => {
  const { target } = await waiting();
  expect((await panewatch("wait", target, "--until", "gone", "--timeout", "0.2")).code).toBe(1);
  const unknown = await panewatch("wait", "nowhere:1.0");
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("no pane nowhere")]);
  expect((await panewatch("wait", "--until", "done")).stderr).toContain("--until knows no");
});

test("wait ends at once with 1 when its pane is closed", async () => {
  // Asked about before its question is drawn, it would be idle at once.
  const { id, target } = await waiting(await tmux.open(asker.command));
  const follows = async () => (await ask("GET", "/api/sessions")).text();
  await until(async () => !(await follows()).includes('"ip"'));
  const waited = begin(["wait", target, "--until", "idle"]);
  await until(async () => (await follows()).includes('"ip"'));
  await tmux.command("kill-pane", "-t", id);
  expect(await endOf(waited)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${target}: not listed any more`),
  });
});

test("send types into a shell, and a command without a service ends with 2", async () => {
  await ask("PATCH", "/api/config", { include_shells: true });
  const shell = await tmux.open();
  const file = join(tmux.folder, "written");
  await published(shell, () => true);
  const sent = await until(async () => {
    const result = await panewatch("send", shell, "echo", "one", ">", file);
    return result.code === 0 ? result : null;
  });
  expect(sent.stderr).toBe("");
  await until(async () => await Bun.file(file).exists());
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

test("wait --until idle after send waits until the sent command has ended", async () => {
  const shell = await tmux.open();
  await published(shell, () => true);
  const file = join(tmux.folder, "done");
  const sent = await panewatch("send", shell, `sleep 3; echo done > ${file}`);
  expect([sent.stderr, sent.code]).toEqual(["", 0]);
  expect((await panewatch("wait", shell, "--until", "idle")).code).toBe(0);
  expect(await Bun.file(file).text()).toBe("done\n");
});

test("a command whose reader closes the pipe ends with 0 and prints no error", async () => {
  const shell = await tmux.open();
  await published(shell, () => true);
  const script = `${EXECUTABLE} watch | head -n 1; echo "ended with \${PIPESTATUS[0]}"`;
  const watching = Bun.spawn(["bash", "-c", script], {
    env: environment(),
    stdio: ["ignore", "pipe", "pipe"],
    timeout: DEADLINE_MS,
  });
  const isOver = async () => {
    await panewatch("send", shell, "true");
    await panewatch("wait", shell, "--until", "idle");
    return watching.exitCode === null ? null : true;
  };
  await until(isOver, DEADLINE_MS);
  const { stdout, stderr, code } = await endOf(watching);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toEndWith("\nended with 0\n");
});
