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

type Scenario = readonly [
  state: string,
  does: string,
  acts: readonly Act[],
  /** Null: it tells nothing and stands idle. */
  tells: RegExp | null,
  size?: { width: number; height: number },
];

/** By agent: what it asks, what becomes of that, the answer, and what the agent tells its model last. */
const SCENARIOS: Readonly<Record<string, readonly Scenario[]>> = {
  claude: [
    ["permission-bash", "runs an allowed command", [{ choose: /^Yes$/ }], /tool_result/],
    [
      "permission-bash",
      "is declined on a narrow screen",
      [{ choose: /^No$/ }],
      null,
      { width: 50, height: 30 },
    ],
    ["permission-edit", "makes an allowed edit", [{ choose: /^Yes$/ }], /has been updated/],
    ["permission-write", "writes an allowed file", [{ choose: /^Yes$/ }], /created successfully/],
    ["permission-webfetch", "is declined a page", [{ choose: /^No\b/ }], null],
    ["permission-mcp", "uses an allowed tool", [{ choose: /^Yes$/ }], /Note added/],
    ["trust", "trusts the folder although the other option is focused", [{ choose: /^Yes/ }], null],
    ["question-single", "takes a preset", [{ choose: /^PostgreSQL/ }], /PostgreSQL/],
    [
      "question-single",
      "takes words instead of a preset",
      [{ choose: /^Type something/, text: "use redis" }],
      /use redis/,
    ],
    ["question-preview", "takes the second of two previews", [{ choose: /^Top bar/ }], /Top bar/],
    [
      "question-tabs",
      "answers three pages, one of them with ticks",
      [
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
      /PostgreSQL.*Logging, Tracing.*MIT/s,
    ],
    [
      "plan-approval",
      "gets feedback on its plan",
      [{ choose: /^Tell Claude/, text: "smaller steps" }],
      /smaller steps/,
    ],
  ],
  codex: [
    [
      "permission-bash",
      "runs an allowed command",
      [{ choose: /^Yes, proceed/ }],
      /completed|exit_code/i,
    ],
    [
      "permission-bash",
      "is told what to do instead",
      [{ choose: /^No, and tell/, text: "use npm ci instead" }],
      /use npm ci instead/,
      { width: 60, height: 20 },
    ],
    [
      "permission-edit",
      "makes an allowed edit",
      [{ choose: /^Yes, proceed/ }],
      /completed|Success/i,
    ],
    [
      "permission-mcp",
      "may use a tool for the session",
      [{ choose: /for this session/ }],
      /Note added/,
    ],
    ["question-single", "takes a preset", [{ choose: /^Plain files/ }], /Plain files/],
    [
      "question-single",
      "takes none of the presets",
      [{ choose: /^None of the above/ }],
      /None of the above/,
    ],
    [
      "question-single",
      "takes none of the presets, with words",
      [{ choose: /^None of the above/, text: "use redis" }],
      /use redis/,
    ],
    // It lists them in an order of its own.
    [
      "question-tabs",
      "answers three pages",
      [
        { choose: /^PostgreSQL/ },
        { page: /Question 2\/3/ },
        { choose: /^Metrics/ },
        { page: /Question 3\/3/ },
        { choose: /^MIT/ },
      ],
      /(?=.*PostgreSQL)(?=.*Metrics)(?=.*MIT)/s,
    ],
    ["plan-approval", "goes on with its plan", [{ choose: /^Yes, implement/ }], /[Ii]mplement/],
    ["trust", "trusts the folder, which no digit does", [{ choose: /^Trust/ }], null],
  ],
  gemini: [
    [
      "permission-bash",
      "runs an allowed command",
      [{ choose: /^Allow once/ }],
      /run_shell_command/,
    ],
    [
      "permission-bash",
      "is told what to do instead",
      [{ choose: /^No, suggest/, text: "use npm ci instead" }],
      /use npm ci instead/,
      { width: 60, height: 20 },
    ],
    ["permission-edit", "makes an allowed edit", [{ choose: /^Allow once/ }], /replace/],
    ["question-single", "takes a preset", [{ choose: /^PostgreSQL/ }], /PostgreSQL/],
    [
      "question-single",
      "takes words below the visible rows",
      [
        { press: "Down" },
        { press: "Down" },
        { press: "Down" },
        { page: /Enter a custom value/ },
        { choose: /^Enter a custom/, text: "use redis" },
      ],
      /use redis/,
    ],
    [
      "question-multi",
      "takes ticks and the row that ends the choice",
      [
        { choose: /^Logging/ },
        { choose: /^Tracing/ },
        { press: "Down" },
        { press: "Down" },
        { press: "Down" },
        { page: /Done/ },
        { choose: /^Done/ },
      ],
      /Logging, Tracing/,
    ],
    [
      "question-tabs",
      "answers three pages and submits the review",
      [
        { choose: /^PostgreSQL/ },
        { page: /Which features/ },
        { choose: /^Metrics/ },
        { press: "Right" },
        { page: /license/ },
        { choose: /^Yes/ },
        { page: /Review your answers/ },
        { press: "Enter" },
      ],
      /PostgreSQL.*Metrics.*Yes/s,
    ],
    ["question-text", "takes a free text", [{ write: "greeter two" }], /greeter two/],
    ["trust", "goes on without trust", [{ choose: /^Don't trust/ }], null],
  ],
  opencode: [
    ["permission-bash", "runs an allowed command", [{ choose: /^Allow once/ }], /demo@1/],
    [
      "permission-bash",
      "is rejected on a narrow screen",
      [{ choose: /^Reject/ }],
      null,
      { width: 50, height: 30 },
    ],
    [
      "permission-bash",
      "asks again before it allows always",
      [{ choose: /^Allow always/ }, { page: /npm test \*/ }, { choose: /^Confirm/ }],
      /demo@1/,
      { width: 200, height: 50 },
    ],
    ["question-single", "takes a preset", [{ choose: /^PostgreSQL/ }], /PostgreSQL/],
    [
      "question-single",
      "takes words",
      [{ choose: /^Type your own/, text: "use redis" }],
      /use redis/,
    ],
    [
      "question-multi",
      "takes ticks and words, and submits the review",
      [
        { choose: /^Logging/ },
        { choose: /^Type your own/, text: "audit log" },
        { page: /audit log/ },
        { press: "Tab" },
        { page: /Review/ },
        { press: "Enter" },
      ],
      /Logging, audit log/,
    ],
    [
      "question-tabs",
      "answers three pages and submits the review",
      [
        { choose: /^PostgreSQL/ },
        { page: /Which features/ },
        { choose: /^Metrics/ },
        { press: "Tab" },
        { page: /Which license/ },
        { choose: /^MIT/ },
        { page: /Review/ },
        { press: "Enter" },
      ],
      /PostgreSQL.*Metrics.*MIT/s,
    ],
  ],
};

describe("an answer through the service", () => {
  describe.each(Object.keys(SCENARIOS))("%s", (of) => {
    test.each(SCENARIOS[of] ?? [])("%s %s", async (state, _, acts, tells, size) => {
      const started = await start({ agent: of, state, ...size });
      const before = (await started.told()).length;
      await perform(started.pane, acts);
      if (tells) {
        expect(await newlyTold(started, before)).toMatch(tells);
      } else {
        await service.see(started.pane, "idle", ({ status }) => status === "idle");
        expect((await started.told()).slice(before).join("\n")).not.toContain("demo@1");
      }
    });
  });
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
