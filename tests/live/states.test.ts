// Real agent programs, driven to the states of which a screen is recorded: what the service says of
// each has to be what a person read from the recording.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { PaneState } from "../../src/protocol/pane.ts";
import { until } from "../support/until.ts";
import { readScreens, type RecordedScreen } from "../support/screens.ts";
import { LAB, labOfFile, readAgent } from "./lab.ts";

const record = process.env["PANEWATCH_LIVE_RECORD"];
const DEADLINE_MS = 20_000;
/** As in the recordings: the path is part of some options. */
const PROJECT = "/tmp/demo/project";
/** How long it has to say so. */
const HOLDS_MS = 1500;

const SCREENS = readScreens();
const DRIVEN: RecordedScreen[] = [];
for (const agent of new Set(SCREENS.map((screen) => screen.agent))) {
  if (!existsSync(join(LAB, "agents", `${agent}.mjs`))) continue;
  const { states } = await readAgent(agent);
  DRIVEN.push(
    ...SCREENS.filter(({ name }) => Object.keys(states).some((s) => name === `${agent}/${s}`)),
  );
}

const stage = labOfFile();

test.each(DRIVEN.map((screen) => [screen.name, screen] as const))("%s", async (name, recorded) => {
  const state = name.slice(recorded.agent.length + 1);
  const what = { agent: recorded.agent, state, project: PROJECT };
  const { agent, service } = await stage.start(what);
  const { pane } = agent;
  // What a later release shows instead is recorded under its version.
  const later = SCREENS.find((screen) => screen.name === `${name}-v${agent.version}`);
  const meant = (later ?? recorded).expected;
  const asked = fold(meant.question ?? "");
  const expected = meaningOf(meant, asked);
  let said = "";
  let since = 0;
  await until(async () => {
    const now = await service.pane(pane);
    const next = now ? meaningOf(now, asked) : "";
    if (next !== said) [said, since] = [next, performance.now()];
    return said === expected && performance.now() - since > HOLDS_MS ? said : null;
  }, DEADLINE_MS).catch(async () => {
    if (record) await stage.lab.record(pane, record, name);
  });
  expect(said).toBe(expected);
});

type Meaning = Pick<PaneState, "kind" | "status" | "question"> & {
  menu: readonly { key: string; label: string; selected: boolean }[];
};

/** @param asked stands for a question that holds more than these words. */
function meaningOf({ kind, status, question, menu }: Meaning, asked: string): string {
  const options = menu.map(({ key, label, selected }) => `${selected ? ">" : " "} ${key} ${label}`);
  const text = fold(question ?? "");
  const short = asked !== "" && text.includes(asked) ? asked : text;
  return [`${kind} ${status}`, short, ...options.map(fold)].join("\n");
}

/** Some were recorded in a folder of another name. */
const fold = (text: string) =>
  text
    .replace(/\((?:gem|project)\)/g, "(folder)")
    .replace(/\s+/g, " ")
    .trim();
