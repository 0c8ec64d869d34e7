// What one session of herdr costs to watch and to answer, over the double: one call takes 3 ms, one
// in twenty 100 ms more, as on the real one.
import { join } from "node:path";
import type { GuardedInput } from "../../src/input/guarded.ts";
import { createLog } from "../../src/lib/log.ts";
import { AppError } from "../../src/errors.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { openChannel, WspProvider } from "../../src/terminal/wsp/provider.ts";
import { SETTINGS } from "../support/poller.ts";
import { until } from "../support/until.ts";
import { watching } from "../support/watching.ts";
import { cpuOf } from "../support/cpu-seconds.ts";
import { markdownTable, percentile } from "./figures.ts";

const CALL_MS = 3;
const UNLUCKY = 0.05;
const MEASURED_MS = 8000;
const PASSES = 12;
const ANSWERS = 25;
const RACES = 60;
const QUESTION_MS = 150;

interface Host {
  binary: string;
  env: Record<string, string>;
  answered: number[];
  tell(line: string): void;
  end(): Promise<void>;
}

async function startHost(panes: number): Promise<Host> {
  const child = Bun.spawn(
    [
      process.execPath,
      "--no-env-file",
      join(import.meta.dir, "wsp-host.ts"),
      ...[panes, CALL_MS, UNLUCKY].map(String),
    ],
    { stdin: "pipe", stdout: "pipe", stderr: "inherit" },
  );
  const { promise, resolve } = Promise.withResolvers<{
    binary: string;
    env: Record<string, string>;
  }>();
  const answered: number[] = [];
  const read = async () => {
    let rest = "";
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const said = JSON.parse(line);
        if ("binary" in said) resolve(said);
        else answered.push(said.answered);
      }
    }
  };
  void read();
  const tell = (line: string) => {
    child.stdin.write(`${line}\n`);
    child.stdin.flush();
  };
  const place = await promise;
  const end = async () => {
    tell("end");
    await child.exited;
  };
  return { ...place, answered, tell, end };
}

async function watch(host: Host, pollSeconds: number) {
  const channel = await openChannel({
    ...{ binary: host.binary, session: "demo", events: "auto", reads: "auto", accept: "verified" },
    env: host.env,
  });
  const log = createLog(() => {});
  const provider = new WspProvider({ channel, instanceId: "bench", hasEvents: true, log });
  const settings = { ...SETTINGS, poll_interval: pollSeconds };
  const watched = await watching(provider, { settings: () => settings });
  const end = async () => {
    await watched.poller.stop();
    await host.end();
  };
  return { ...watched, provider, channel, end };
}

async function costOf(panes: number, mode: "quiet" | "busy"): Promise<string[]> {
  const host = await startHost(panes);
  const { hub, provider, end } = await watch(host, 0.7);
  await until(() => provider.events().active);
  host.tell(mode);
  await Bun.sleep(1500);
  const began = { cpu: cpuOf(process.pid), at: performance.now(), passes: hub.current.sequence };
  await Bun.sleep(MEASURED_MS);
  const cpu = cpuOf(process.pid);
  const seconds = (performance.now() - began.at) / 1000;
  const passes = Math.max(1, hub.current.sequence - began.passes);
  const used = cpu.own - began.cpu.own + cpu.children - began.cpu.children;
  await end();
  return [
    `${panes} ${mode}`,
    String(passes),
    `${((used * 1000) / passes).toFixed(1)} ms`,
    `${((used / seconds) * 100).toFixed(2)} %`,
  ];
}

async function timesOf(panes: number): Promise<string[]> {
  const host = await startHost(panes);
  const { provider, poller } = await watch(host, 10);
  await poller.stop();
  const { signal } = new AbortController();
  const times = async (before: () => Promise<void>) => {
    const taken: number[] = [];
    for (let pass = 0; pass < PASSES; pass++) {
      await before();
      const at = performance.now();
      await provider.list(signal);
      taken.push(performance.now() - at);
    }
    return taken;
  };
  const quiet = await times(async () => {});
  host.tell("busy");
  const busy = await times(() => Bun.sleep(300));
  await host.end();
  const figures = [quiet, busy].flatMap((taken) => [percentile(taken, 50), percentile(taken, 95)]);
  return [String(panes), ...figures.map((ms) => `${ms.toFixed(0)} ms`)];
}

async function answersOf(panes: number): Promise<string[]> {
  const host = await startHost(panes);
  const { hub, guarded, end } = await watch(host, 0.7);
  const taken: number[] = [];
  const seen: number[] = [];
  const first = () => hub.current.panes[0];
  for (let number = 1; number <= ANSWERS; number++) {
    host.tell(`ask ${number}`);
    const pane = await until(() => {
      const state = first();
      return state?.question?.includes(`number ${number}?`) ? state : null;
    });
    const option = pane.menu[0]?.id;
    if (!pane.action_guard || option === undefined) throw new Error("nothing to answer");
    const at = performance.now();
    await guarded.act({
      ...{ id: pane.id, operation: "select", option_id: option, expected: pane.action_guard },
      idempotency_key: crypto.randomUUID(),
    });
    taken.push(performance.now() - at);
    await until(() => first()?.question === null);
    seen.push(performance.now() - at);
  }
  await end();
  const figures = [taken, seen].flatMap((all) => [percentile(all, 50), percentile(all, 95)]);
  return [String(panes), ...figures.map((ms) => `${ms.toFixed(0)} ms`)];
}

/** Answers to a question that changes all the time, as it was published and as they arrive. */
async function raceOf(way: "guarded" | "unguarded"): Promise<string[]> {
  const host = await startHost(1);
  const { provider, hub, guarded, end } = await watch(host, 0.2);
  host.tell(`race ${QUESTION_MS}`);
  let [wrong, right, refused] = [0, 0, 0];
  for (let tries = 0; tries < RACES; tries++) {
    const { sequence } = hub.current;
    const pane = await until(() => {
      const state = hub.current.sequence > sequence ? hub.current.panes[0] : null;
      return state?.menu[0]?.id === undefined ? null : state;
    });
    const asked = Number(/number (\d+)\?/.exec(pane.question ?? "")?.[1] ?? Number.NaN);
    const count = host.answered.length;
    const isSent =
      way === "unguarded"
        ? (await provider.send(pane.id, [{ do: "text", text: "1" }], null)) === "sent"
        : await sendGuarded(guarded, pane);
    if (!isSent) {
      refused++;
      continue;
    }
    const arrived = await until(() => host.answered[count]);
    if (arrived === asked) right++;
    else wrong++;
  }
  await end();
  const share = right + wrong === 0 ? "-" : `${((100 * wrong) / (right + wrong)).toFixed(0)} %`;
  return [way, String(right + wrong), String(wrong), share, String(refused)];
}

async function sendGuarded(guarded: GuardedInput, pane: PaneState): Promise<boolean> {
  const option = pane.menu[0]?.id;
  if (!pane.action_guard || option === undefined) return false;
  try {
    await guarded.act({
      ...{ id: pane.id, operation: "select", option_id: option, expected: pane.action_guard },
      idempotency_key: crypto.randomUUID(),
    });
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** Answers that a person gives after a moment, under a guard that was on the screen. */
async function pressesOf(count: number): Promise<string[]> {
  const host = await startHost(1);
  const { hub, guarded, end } = await watch(host, 0.7);
  let accepted = 0;
  for (let number = 1; number <= count; number++) {
    host.tell(`blink ${number}`);
    const pane = await until(() => {
      const [state] = hub.current.panes;
      return state?.question?.includes(`number ${number}?`) ? state : null;
    });
    await Bun.sleep((number * 97) % 700);
    if (await sendGuarded(guarded, pane)) accepted++;
  }
  await end();
  return ["a permission under a blinking mark", `${accepted} of ${count}`];
}

async function messagesOf(count: number): Promise<string[]> {
  const host = await startHost(1);
  const { hub, guarded, end } = await watch(host, 0.7);
  host.tell("spin");
  let accepted = 0;
  for (let number = 1; number <= count; number++) {
    const pane = await until(() => {
      const [state] = hub.current.panes;
      return state?.status === "working" ? state : null;
    });
    await Bun.sleep((number * 97) % 700);
    if (!pane.action_guard) continue;
    const sent = guarded.act({
      ...{ id: pane.id, operation: "text", text: "and then the docs" },
      ...{ expected: pane.action_guard, idempotency_key: crypto.randomUUID() },
    });
    if (await sent.then(() => true, isRefusal)) accepted++;
  }
  await end();
  return ["a text to an agent at work", `${accepted} of ${count}`];
}

function isRefusal(error: unknown): false {
  if (error instanceof AppError) return false;
  throw error;
}

/** What lies between the last look and the send at the least: one process of the executable. */
async function executableMs(): Promise<string> {
  const host = await startHost(1);
  const { channel, end } = await watch(host, 10);
  const taken: number[] = [];
  for (let call = 0; call < 20; call++) {
    const at = performance.now();
    await channel.tool.run(["--version"]);
    taken.push(performance.now() - at);
  }
  await end();
  return percentile(taken, 50).toFixed(0);
}

const costs: string[][] = [];
for (const panes of [1, 50, 200])
  for (const mode of ["quiet", "busy"] as const) costs.push(await costOf(panes, mode));
process.stdout.write(
  `A pass every 0.7 s with events; processes per pass: none while the socket is good.\n\n` +
    markdownTable(["panes", "passes", "CPU per pass", "of one core"], costs),
);
const times: string[][] = [];
for (const panes of [1, 50, 200]) times.push(await timesOf(panes));
process.stdout.write(
  `\nTime of a pass.\n\n` +
    markdownTable(["panes", "quiet, median", "quiet, p95", "busy, median", "busy, p95"], times),
);
const answers: string[][] = [];
for (const panes of [1, 50]) answers.push(await answersOf(panes));
process.stdout.write(
  `\nA guarded answer by one key.\n\n` +
    markdownTable(["panes", "accepted, median", "p95", "seen, median", "p95"], answers),
);
process.stdout.write(`\nThe stand-in's executable alone: ${await executableMs()} ms, median.\n`);
process.stdout.write(
  `\nUnder a guard that a person saw up to 0.7 s before.\n\n` +
    markdownTable(["", "accepted"], [await pressesOf(60), await messagesOf(40)]),
);
const races: string[][] = [];
for (const way of ["unguarded", "guarded"] as const) races.push(await raceOf(way));
process.stdout.write(
  `\nA new question every ${QUESTION_MS} ms.\n\n` +
    markdownTable(["way", "answers", "on a wrong prompt", "share", "held back"], races),
);
process.exit(0);
