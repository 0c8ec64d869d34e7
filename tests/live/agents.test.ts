// Real agent programs, answered through the service; what counts is what each then tells its model.
import { describe, expect, test } from "bun:test";
import type { PaneState } from "../../src/protocol/pane.ts";
import { labOfFile } from "./lab.ts";

const STILL_MS = 500;
/** How long nothing may happen where nothing was asked for. */
const QUIET_MS = 2000;

const stage = labOfFile();

type Act =
  | { choose: RegExp; text?: string }
  | { press: string }
  | { write: string }
  /** Waits for a page whose question, evidence or options hold this. */
  | { page: RegExp };

/** `page WORDS`, `press KEY`, `write TEXT`, or the begin of an option's label, with ` = ` and a text. */
function actOf(step: string): Act {
  const [, kind, words = ""] = /^(page|press|write) (.*)$/.exec(step) ?? [];
  if (kind === "page") return { page: new RegExp(words) };
  if (kind === "press") return { press: words };
  if (kind === "write") return { write: words };
  const [label = "", text] = step.split(" = ");
  return { choose: new RegExp(`^${label}`), ...(text === undefined ? {} : { text }) };
}

type Scenario = readonly [
  state: string,
  does: string,
  acts: readonly string[],
  /** Null: it tells nothing and stands idle. */
  tells: RegExp | null,
  size?: { width?: number; height?: number },
];

/** By agent: what it asks, what becomes of that, the answer, and what the agent tells its model last. */
const SCENARIOS: Readonly<Record<string, readonly Scenario[]>> = {
  claude: [
    ["permission-bash", "runs an allowed command", ["Yes$"], /tool_result/],
    ["permission-bash", "is declined on a narrow screen", ["No$"], null, { width: 50, height: 30 }],
    ["permission-edit", "makes an allowed edit", ["Yes$"], /has been updated/],
    ["permission-write", "writes an allowed file", ["Yes$"], /created successfully/],
    ["permission-webfetch", "is declined a page", ["No\\b"], null],
    ["permission-mcp", "uses an allowed tool", ["Yes$"], /Note added/],
    ["trust", "trusts the folder although the other option is focused", ["Yes"], null],
    ["question-single", "takes a preset", ["PostgreSQL"], /PostgreSQL/],
    [
      "question-single",
      "takes words instead of a preset",
      ["Type something = use redis"],
      /use redis/,
    ],
    ["question-preview", "takes the second of two previews", ["Top bar"], /Top bar/],
    [
      "question-tabs",
      "answers three pages, one of them with ticks",
      [
        ...["PostgreSQL", "page Which features", "Logging", "Tracing", "press Tab"],
        ...["page Which license", "MIT", "page Review your answers", "Submit"],
      ],
      /PostgreSQL.*Logging, Tracing.*MIT/s,
    ],
    [
      "plan-approval",
      "gets feedback on its plan",
      ["Tell Claude = smaller steps"],
      /smaller steps/,
    ],
  ],
  codex: [
    ["permission-bash", "runs an allowed command", ["Yes, proceed"], /completed|exit_code/i],
    [
      "permission-bash",
      "is told what to do instead",
      ["No, and tell = use npm ci instead"],
      /use npm ci instead/,
      { width: 60, height: 20 },
    ],
    ["permission-edit", "makes an allowed edit", ["Yes, proceed"], /completed|Success/i],
    ["permission-mcp", "may use a tool for the session", [".*for this session"], /Note added/],
    ["question-single", "takes a preset", ["Plain files"], /Plain files/],
    ["question-single", "takes none of the presets", ["None of the above"], /None of the above/],
    [
      "question-single",
      "takes none of the presets, with words",
      ["None of the above = use redis"],
      /use redis/,
    ],
    // It lists them in an order of its own.
    [
      "question-tabs",
      "answers three pages",
      ["PostgreSQL", "page Question 2\\/3", "Metrics", "page Question 3\\/3", "MIT"],
      /(?=.*PostgreSQL)(?=.*Metrics)(?=.*MIT)/s,
    ],
    ["plan-approval", "goes on with its plan", ["Yes, implement"], /[Ii]mplement/],
    ["trust", "trusts the folder, which no digit does", ["Trust"], null],
  ],
  gemini: [
    ["permission-bash", "runs an allowed command", ["Allow once"], /run_shell_command/],
    [
      "permission-bash",
      "is told what to do instead",
      ["No, suggest = use npm ci instead"],
      /use npm ci instead/,
      { width: 60, height: 20 },
    ],
    ["permission-edit", "makes an allowed edit", ["Allow once"], /replace/],
    ["question-single", "takes a preset", ["PostgreSQL"], /PostgreSQL/],
    [
      "question-single",
      "takes words below the visible rows",
      [
        ...["press Down", "press Down", "press Down", "page Enter a custom value"],
        ...["Enter a custom = use redis"],
      ],
      /use redis/,
    ],
    [
      "question-multi",
      "takes ticks and the row that ends the choice",
      ["Logging", "Tracing", "press Down", "press Down", "press Down", "page Done", "Done"],
      /Logging, Tracing/,
    ],
    [
      "question-tabs",
      "answers three pages and submits the review",
      [
        ...["PostgreSQL", "page Which features", "Metrics", "press Right", "page license", "Yes"],
        ...["page Review your answers", "press Enter"],
      ],
      /PostgreSQL.*Metrics.*Yes/s,
    ],
    ["question-text", "takes a free text", ["write greeter two"], /greeter two/],
    ["trust", "goes on without trust", ["Don't trust"], null],
  ],
  opencode: [
    ["permission-bash", "runs an allowed command", ["Allow once"], /demo@1/],
    [
      "permission-bash",
      "is rejected on a narrow screen",
      ["Reject"],
      null,
      { width: 50, height: 30 },
    ],
    [
      "permission-bash",
      "asks again before it allows always",
      ["Allow always", "page npm test \\*", "Confirm"],
      /demo@1/,
      { width: 200, height: 50 },
    ],
    ["question-single", "takes a preset", ["PostgreSQL"], /PostgreSQL/],
    ["question-single", "takes words", ["Type your own = use redis"], /use redis/],
    [
      "question-multi",
      "takes ticks and words, and submits the review",
      [
        ...["Logging", "Type your own = audit log", "page audit log", "press Tab", "page Review"],
        ...["press Enter"],
      ],
      /Logging, audit log/,
    ],
    [
      "question-tabs",
      "answers three pages and submits the review",
      [
        ...["PostgreSQL", "page Which features", "Metrics", "press Tab", "page Which license"],
        ...["MIT", "page Review", "press Enter"],
      ],
      /PostgreSQL.*Metrics.*MIT/s,
    ],
  ],
};

describe("an answer through the service", () => {
  describe.each(Object.keys(SCENARIOS))("%s", (of) => {
    // The runner takes a parameter that no scenario fills for a callback that ends the test.
    test.each(SCENARIOS[of] ?? [])("%s %s", async (state, _, acts, tells, size = {}) => {
      const { agent: started, service } = await stage.start({ agent: of, state, ...size });
      const before = (await started.modelTexts()).length;
      await perform(started.pane, acts.map(actOf));
      if (tells) {
        expect((await started.newModelTexts(before)).join("\n")).toMatch(tells);
      } else {
        await service.see(started.pane, "idle", ({ status }) => status === "idle");
        expect((await started.modelTexts()).slice(before).join("\n")).not.toContain("demo@1");
      }
    });
  });
});

test("claude: the answer to one prompt never reaches the next one", async () => {
  const { agent: started } = await stage.start({ agent: "claude", state: "permission-two" });
  const first = await waiting(started.pane, "the first request", /npm run lint/);
  await stage.service.select(first, /^Yes$/);
  const second = await waiting(started.pane, "the second request", /npm run build/);
  await staysFor(started.pane, second);
  await expect(stage.service.select(first, /^Yes$/)).rejects.toThrow(/409.*prompt_changed/s);
  const before = (await started.modelTexts()).length;
  await stage.service.select(second, /^Yes$/);
  expect((await started.newModelTexts(before)).join("\n")).toContain("tool_result");
});

async function perform(pane: string, acts: readonly Act[]): Promise<void> {
  let seen = await waiting(pane, "its dialog", /./s);
  for (const act of acts) {
    if ("page" in act) {
      seen = await waiting(pane, `the page ${act.page}`, act.page);
      continue;
    }
    if ("choose" in act) await stage.service.select(seen, act.choose, act.text);
    else if ("press" in act) await stage.service.key(seen, act.press);
    else await stage.service.text(seen, act.write);
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
  stage.service.see(pane, what, (now) => now.status === "needs_input" && text.test(shown(now)));

/** Another page that holds still: a program may draw a tick in two steps. */
async function changed(pane: string, seen: PaneState): Promise<PaneState> {
  let last = { text: "", since: 0 };
  return stage.service.see(pane, "another page", (now) => {
    const text = shown(now);
    if (text !== last.text) last = { text, since: performance.now() };
    const isStill = performance.now() - last.since > STILL_MS;
    return now.status === "needs_input" && text !== shown(seen) && isStill;
  });
}

async function staysFor(pane: string, seen: PaneState): Promise<void> {
  const end = performance.now() + QUIET_MS;
  while (performance.now() < end) {
    const now = await stage.service.pane(pane);
    expect(now && shown(now)).toBe(shown(seen));
    await Bun.sleep(100);
  }
}
