// Real agent programs, answered through the service; what counts is what each then tells its model.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { PaneState } from "../../src/protocol/pane.ts";
import { until } from "../support/until.ts";
import { AgentLab, type LiveAgent, type Start } from "./lab.ts";
import { Panewatch } from "./panewatch.ts";

const TOLD_DEADLINE_MS = 30_000;
const STILL_MS = 500;
/** How long nothing may happen where nothing was asked for. */
const QUIET_MS = 2000;

let lab: AgentLab;
let service: Panewatch;
let agent: LiveAgent | null = null;

beforeAll(async () => {
  lab = await AgentLab.open(process.env["PANEWATCH_LAB"] ?? "");
});
afterEach(async () => {
  await agent?.stop();
  agent = null;
});
afterAll(async () => {
  await service?.stop();
  await lab?.close();
});

type Act =
  | { choose: RegExp; text?: string }
  | { press: string }
  | { write: string }
  /** Waits for a page whose question, evidence or options hold this. */
  | { page: RegExp };

interface Scenario extends Start {
  does: string;
  acts: readonly Act[];
  /** In what the agent tells its model last; null: it tells nothing and stands idle. */
  tells: RegExp | null;
}

const bash = { state: "permission-bash" };
const claude = { agent: "claude" };
const codex = { agent: "codex" };
const gemini = { agent: "gemini" };
const opencode = { agent: "opencode" };

const SCENARIOS: readonly Scenario[] = [
  {
    ...claude,
    ...bash,
    does: "runs an allowed command",
    acts: [{ choose: /^Yes$/ }],
    tells: /tool_result/,
  },
  {
    ...claude,
    ...bash,
    width: 50,
    height: 30,
    does: "is declined on a narrow screen",
    acts: [{ choose: /^No$/ }],
    tells: null,
  },
  {
    ...claude,
    state: "permission-edit",
    does: "makes an allowed edit",
    acts: [{ choose: /^Yes$/ }],
    tells: /has been updated/,
  },
  {
    ...claude,
    state: "permission-write",
    does: "writes an allowed file",
    acts: [{ choose: /^Yes$/ }],
    tells: /created successfully/,
  },
  {
    ...claude,
    state: "permission-webfetch",
    does: "is declined a page",
    acts: [{ choose: /^No\b/ }],
    tells: null,
  },
  {
    ...claude,
    state: "permission-mcp",
    does: "uses an allowed tool",
    acts: [{ choose: /^Yes$/ }],
    tells: /Note added/,
  },
  {
    ...claude,
    state: "trust",
    does: "trusts the folder although the other option is focused",
    acts: [{ choose: /^Yes/ }],
    tells: null,
  },
  {
    ...claude,
    state: "question-single",
    does: "takes a preset",
    acts: [{ choose: /^PostgreSQL/ }],
    tells: /PostgreSQL/,
  },
  {
    ...claude,
    state: "question-single",
    does: "takes words instead of a preset",
    acts: [{ choose: /^Type something/, text: "use redis" }],
    tells: /use redis/,
  },
  {
    ...claude,
    state: "question-preview",
    does: "takes the second of two previews",
    acts: [{ choose: /^Top bar/ }],
    tells: /Top bar/,
  },
  {
    ...claude,
    state: "question-tabs",
    does: "answers three pages, one of them with ticks",
    acts: [
      { choose: /^PostgreSQL/ },
      { page: /Which features/ },
      { choose: /^Logging/ },
      { choose: /^Tracing/ },
      { press: "Tab" },
      { page: /Which license/ },
      { choose: /^MIT/ },
      { page: /Review your answers/ },
      { choose: /^Submit/ },
    ],
    tells: /PostgreSQL.*Logging, Tracing.*MIT/s,
  },
  {
    ...claude,
    state: "plan-approval",
    does: "gets feedback on its plan",
    acts: [{ choose: /^Tell Claude/, text: "smaller steps" }],
    tells: /smaller steps/,
  },

  {
    ...codex,
    ...bash,
    does: "runs an allowed command",
    acts: [{ choose: /^Yes, proceed/ }],
    tells: /completed|exit_code/i,
  },
  {
    ...codex,
    ...bash,
    width: 60,
    height: 20,
    does: "is told what to do instead",
    acts: [{ choose: /^No, and tell/, text: "use npm ci instead" }],
    tells: /use npm ci instead/,
  },
  {
    ...codex,
    state: "permission-edit",
    does: "makes an allowed edit",
    acts: [{ choose: /^Yes, proceed/ }],
    tells: /completed|Success/i,
  },
  {
    ...codex,
    state: "permission-mcp",
    does: "may use a tool for the session",
    acts: [{ choose: /for this session/ }],
    tells: /Note added/,
  },
  {
    ...codex,
    state: "question-single",
    does: "takes a preset",
    acts: [{ choose: /^Plain files/ }],
    tells: /Plain files/,
  },
  {
    ...codex,
    state: "question-single",
    does: "takes none of the presets",
    acts: [{ choose: /^None of the above/ }],
    tells: /None of the above/,
  },
  {
    ...codex,
    state: "question-single",
    does: "takes none of the presets, with words",
    acts: [{ choose: /^None of the above/, text: "use redis" }],
    tells: /use redis/,
  },
  {
    ...codex,
    state: "question-tabs",
    does: "answers three pages",
    acts: [
      { choose: /^PostgreSQL/ },
      { page: /Question 2\/3/ },
      { choose: /^Metrics/ },
      { page: /Question 3\/3/ },
      { choose: /^MIT/ },
    ],
    // It lists them in an order of its own.
    tells: /(?=.*PostgreSQL)(?=.*Metrics)(?=.*MIT)/s,
  },
  {
    ...codex,
    state: "plan-approval",
    does: "goes on with its plan",
    acts: [{ choose: /^Yes, implement/ }],
    tells: /[Ii]mplement/,
  },
  {
    ...codex,
    state: "trust",
    does: "trusts the folder, which no digit does",
    acts: [{ choose: /^Trust/ }],
    tells: null,
  },

  {
    ...gemini,
    ...bash,
    does: "runs an allowed command",
    acts: [{ choose: /^Allow once/ }],
    tells: /run_shell_command/,
  },
  {
    ...gemini,
    ...bash,
    width: 60,
    height: 20,
    does: "is told what to do instead",
    acts: [{ choose: /^No, suggest/, text: "use npm ci instead" }],
    tells: /use npm ci instead/,
  },
  {
    ...gemini,
    state: "permission-edit",
    does: "makes an allowed edit",
    acts: [{ choose: /^Allow once/ }],
    tells: /replace/,
  },
  {
    ...gemini,
    state: "question-single",
    does: "takes a preset",
    acts: [{ choose: /^PostgreSQL/ }],
    tells: /PostgreSQL/,
  },
  {
    ...gemini,
    state: "question-single",
    does: "takes words below the visible rows",
    acts: [
      { press: "Down" },
      { press: "Down" },
      { press: "Down" },
      { page: /Enter a custom value/ },
      { choose: /^Enter a custom/, text: "use redis" },
    ],
    tells: /use redis/,
  },
  {
    ...gemini,
    state: "question-multi",
    does: "takes ticks and the row that ends the choice",
    acts: [
      { choose: /^Logging/ },
      { choose: /^Tracing/ },
      { press: "Down" },
      { press: "Down" },
      { press: "Down" },
      { page: /Done/ },
      { choose: /^Done/ },
    ],
    tells: /Logging, Tracing/,
  },
  {
    ...gemini,
    state: "question-tabs",
    does: "answers three pages and submits the review",
    acts: [
      { choose: /^PostgreSQL/ },
      { page: /Which features/ },
      { choose: /^Metrics/ },
      { press: "Right" },
      { page: /license/ },
      { choose: /^Yes/ },
      { page: /Review your answers/ },
      { press: "Enter" },
    ],
    tells: /PostgreSQL.*Metrics.*Yes/s,
  },
  {
    ...gemini,
    state: "question-text",
    does: "takes a free text",
    acts: [{ write: "greeter two" }],
    tells: /greeter two/,
  },
  {
    ...gemini,
    state: "trust",
    does: "goes on without trust",
    acts: [{ choose: /^Don't trust/ }],
    tells: null,
  },

  {
    ...opencode,
    ...bash,
    does: "runs an allowed command",
    acts: [{ choose: /^Allow once/ }],
    tells: /demo@1/,
  },
  {
    ...opencode,
    ...bash,
    width: 50,
    height: 30,
    does: "is rejected on a narrow screen",
    acts: [{ choose: /^Reject/ }],
    tells: null,
  },
  {
    ...opencode,
    ...bash,
    width: 200,
    height: 50,
    does: "asks again before it allows always",
    acts: [{ choose: /^Allow always/ }, { page: /npm test \*/ }, { choose: /^Confirm/ }],
    tells: /demo@1/,
  },
  {
    ...opencode,
    state: "question-single",
    does: "takes a preset",
    acts: [{ choose: /^PostgreSQL/ }],
    tells: /PostgreSQL/,
  },
  {
    ...opencode,
    state: "question-single",
    does: "takes words",
    acts: [{ choose: /^Type your own/, text: "use redis" }],
    tells: /use redis/,
  },
  {
    ...opencode,
    state: "question-multi",
    does: "takes ticks and words, and submits the review",
    acts: [
      { choose: /^Logging/ },
      { choose: /^Type your own/, text: "audit log" },
      { page: /audit log/ },
      { press: "Tab" },
      { page: /Review/ },
      { press: "Enter" },
    ],
    tells: /Logging, audit log/,
  },
  {
    ...opencode,
    state: "question-tabs",
    does: "answers three pages and submits the review",
    acts: [
      { choose: /^PostgreSQL/ },
      { page: /Which features/ },
      { choose: /^Metrics/ },
      { press: "Tab" },
      { page: /Which license/ },
      { choose: /^MIT/ },
      { page: /Review/ },
      { press: "Enter" },
    ],
    tells: /PostgreSQL.*Metrics.*MIT/s,
  },
];

describe("an answer through the service", () => {
  test.each(SCENARIOS.map((s) => [`${s.agent} ${s.state} ${s.does}`, s] as const))(
    "%s",
    async (_, scenario) => {
      const started = await start(scenario);
      const before = (await started.told()).length;
      await perform(started.pane, scenario.acts);
      if (scenario.tells) {
        expect(await newlyTold(started, before)).toMatch(scenario.tells);
      } else {
        await service.see(started.pane, "idle", ({ status }) => status === "idle");
        expect((await started.told()).slice(before).join("\n")).not.toContain("demo@1");
      }
    },
  );
});

test("claude: the answer to one prompt never reaches the next one", async () => {
  const started = await start({ agent: "claude", state: "permission-two" });
  const first = await waiting(started.pane, "the first request", /npm run lint/);
  await service.select(first, /^Yes$/);
  const second = await waiting(started.pane, "the second request", /npm run build/);
  await staysFor(started.pane, second);
  await expect(service.select(first, /^Yes$/)).rejects.toThrow(/409.*prompt_changed/s);
  const before = (await started.told()).length;
  await service.select(second, /^Yes$/);
  expect(await newlyTold(started, before)).toContain("tool_result");
});

async function start(what: Start): Promise<LiveAgent> {
  agent = await lab.start(what);
  // The lab's server begins with its first agent, and the service is to find it there.
  service ??= await Panewatch.start(lab.socket);
  return agent;
}

async function perform(pane: string, acts: readonly Act[]): Promise<void> {
  let seen = await waiting(pane, "its dialog", /./s);
  for (const act of acts) {
    if ("page" in act) {
      seen = await waiting(pane, `the page ${act.page}`, act.page);
      continue;
    }
    if ("choose" in act) await service.select(seen, act.choose, act.text);
    else if ("press" in act) await service.key(seen, act.press);
    else await service.text(seen, act.write);
    if (act !== acts.at(-1)) seen = await changed(pane, seen);
  }
}

/** All that a person reads of the prompt. */
function shown({ question, evidence, menu }: PaneState): string {
  const options = menu.map(
    (o) => `${o.checked ? "x" : "-"}${o.selected ? ">" : " "}${o.label} ${o.description}`,
  );
  return [question, ...evidence, ...options].join("\n");
}

const waiting = (pane: string, what: string, text: RegExp) =>
  service.see(pane, what, (now) => now.status === "needs_input" && text.test(shown(now)));

/** Another page that holds still: a program may draw a tick in two steps. */
async function changed(pane: string, seen: PaneState): Promise<PaneState> {
  let last = { text: "", since: 0 };
  return service.see(pane, "another page", (now) => {
    const text = shown(now);
    if (text !== last.text) last = { text, since: performance.now() };
    const isStill = performance.now() - last.since > STILL_MS;
    return now.status === "needs_input" && text !== shown(seen) && isStill;
  });
}

async function newlyTold(started: LiveAgent, before: number): Promise<string> {
  const told = await until(async () => {
    const all = await started.told();
    return all.length > before ? all : null;
  }, TOLD_DEADLINE_MS);
  return told.slice(before).join("\n");
}

async function staysFor(pane: string, seen: PaneState): Promise<void> {
  const end = performance.now() + QUIET_MS;
  while (performance.now() < end) {
    const now = await service.pane(pane);
    expect(now && shown(now)).toBe(shown(seen));
    await Bun.sleep(100);
  }
}
