import { afterAll, expect, test } from "bun:test";
import type { Link } from "../../src/hosts/link.ts";
import type { Poller } from "../../src/terminal/poller.ts";
import type { TerminalProvider } from "../../src/terminal/provider.ts";
import { timedPasses } from "../bench/figures.ts";
import { median } from "../soak/gauges.ts";
import { farProvider, settled, startLink } from "../support/far-link.ts";
import { openMux } from "../support/mux.ts";
import { pollerOver, SETTINGS } from "../support/poller.ts";
import { SshLab } from "../support/sshd.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";

const HOSTS = ["a", "b", "frozen"] as const;
const PASSES = 15;
/** A pass that waited for a frozen host would take seconds: its silence is given up after eight. */
const MOST_TIMES = 5;
const JITTER_MS = 250;

interface Machine {
  name: string;
  poller: Poller;
  /** Milliseconds of each good pass since it was emptied. */
  passes: number[];
}

const machines: Machine[] = [];
const links = new Map<string, Link>();

const lab = await SshLab.open();
const tmuxes = await Promise.all(
  Array.from({ length: HOSTS.length + 1 }, () => PrivateTmux.start()),
);
const [here, ...there] = tmuxes;
if (!here) throw new Error("no tmux");
machines.push(watch("local", await openMux(here)));
for (const [index, name] of HOSTS.entries()) {
  await lab.host(name, { tmux: there[index]?.folder ?? "" });
  const link = startLink(lab.command(name));
  links.set(name, link);
  await settled(link);
  machines.push(watch(name, farProvider(link)));
}
afterAll(async () => {
  await lab?.thaw("frozen");
  await Promise.all(machines.map(({ poller }) => poller.stop()));
  for (const link of links.values()) link.stop();
  await lab?.stop();
  await Promise.all(tmuxes.map((tmux) => tmux.stop()));
});

function watch(name: string, provider: TerminalProvider): Machine {
  const passes: number[] = [];
  const pass = timedPasses(provider);
  const { poller } = pollerOver(provider, {
    hub: {
      publish: ({ hasFailed }) => !hasFailed && passes.push(performance.now() - pass.startedMs),
    },
    settings: () => ({ ...SETTINGS, poll_interval: 0.2, include_shells: true }),
  });
  poller.start();
  return { name, poller, passes };
}

/** Median of so many passes of each machine but the one that will be frozen. */
async function passTimes(): Promise<Map<string, number>> {
  const others = machines.filter(({ name }) => name !== "frozen");
  for (const { passes } of others) passes.length = 0;
  await until(() => others.every(({ passes }) => passes.length >= PASSES));
  return new Map(others.map(({ name, passes }) => [name, median(passes)]));
}

test("one of three hosts that stands still costs the others nothing", async () => {
  const before = await passTimes();
  await lab.freeze("frozen");
  const beside = await passTimes();
  // It did stand still: no answer of it came, and its link gives up.
  await until(() => links.get("frozen")?.state.status === "away");
  for (const [name, ms] of beside) {
    const most = MOST_TIMES * (before.get(name) ?? 0) + JITTER_MS;
    expect({ name, isHeldUp: ms > most }).toEqual({ name, isHeldUp: false });
  }
  await lab.thaw("frozen");
}, 60_000);
