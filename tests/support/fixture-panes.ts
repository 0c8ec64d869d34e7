import { aboutOf } from "../../src/detect/about.ts";
import { commandRisk, optionRisk } from "../../src/detect/risk.ts";
import { declines, isSuggested } from "../../src/protocol/options.ts";
import { MenuOption, PaneCapabilities, type PaneState } from "../../src/protocol/pane.ts";
import type { Styles } from "../../src/protocol/delta.ts";
import { fixture } from "./fixture.ts";
import { pane } from "./pane.ts";

/** The moment at which all fixtures are looked at: epoch seconds. */
export const NOW = Date.UTC(2026, 2, 14, 9, 41, 0) / 1000;
const MINUTE = 60;

/** That every terminal takes. */
export const KEYS = `BSpace BTab C-a C-c C-d C-e C-k C-l C-n C-o C-p C-r C-u C-w C-z Down End Enter
  Escape Home Left PageDown PageUp Right Space Tab Up`.split(/\s+/);

export function option(key: string, label: string, members: Partial<MenuOption> = {}): MenuOption {
  const risk = optionRisk(label, members.description ?? "");
  return {
    ...fixture(MenuOption, { key, label }),
    ...(risk && { risk }),
    ...(declines(label) && { declines: true }),
    ...(isSuggested(label) && { suggested: true }),
    ...members,
  };
}

/** With what the server tells of its question and evidence. */
export function assess(pane: PaneState, members: Partial<PaneState>): PaneState {
  const { question, evidence } = pane;
  const risk = question === null ? null : commandRisk([...evidence, question]);
  return { ...pane, risk: members.risk ?? risk, about: members.about ?? aboutOf(pane) };
}

interface Spec extends Partial<PaneState> {
  number: number;
  session: string;
  window: string;
  /** Seconds before `NOW` of the last change of status. */
  ago: number;
}

export function fixturePane({ number, session, window, ago, ...members }: Spec): PaneState {
  const id = `%${number}`;
  const since = NOW - ago;
  const isWaiting = members.status === "needs_input";
  const base = pane();
  const lines = members.lines ?? members.preview ?? [];
  const made: PaneState = {
    ...base,
    id,
    target: `${session}:${number}.1`,
    name: window,
    window,
    updated: since,
    status_since: since,
    prompt_since: isWaiting ? since : null,
    preview: lines.filter((line) => line.trim() !== "").slice(-6),
    hierarchy: [
      { kind: "session", id: `$${session}`, label: session, position: null },
      { kind: "window", id: `@${number}`, label: window, position: number % 10 },
      { kind: "pane", id, label: "1", position: 1 },
    ],
    capabilities: { ...base.capabilities, keys: KEYS },
    cwd: `/home/dev/code/${session}`,
    lines,
    ...members,
  };
  return assess(made, members);
}

/** What runs in a pane. */
type Program = Pick<PaneState, "kind" | "agent" | "command">;
const program = (kind: PaneState["kind"], id: string, label: string, command: string): Program => ({
  ...{ kind, agent: { id, label }, command },
});
export const CLAUDE = program("agent_a", "agent_a", "Claude Code", "claude");
export const CODEX = program("agent_b", "agent_b", "Codex", "codex");
const OPENCODE = program("agent_d", "agent_d", "OpenCode", "opencode");
const GEMINI = program("generic", "gemini", "Gemini CLI", "gemini");
const SHELL: Program = { kind: "shell", agent: null, command: "zsh" };

/** `place`: session and window; `ago`: seconds since its last change of status. */
export function fleetPane(
  program: Program,
  number: number,
  place: string,
  name: string,
  status: PaneState["status"],
  ago: number,
  members: Partial<PaneState> = {},
): PaneState {
  const [session = "", window = ""] = place.split(":");
  return fixturePane({ ...program, number, session, window, name, status, ago, ...members });
}

const box = (text: string) => `│ ${text.padEnd(82)}│`;

const SESSION_ROTATION = [
  "$ claude",
  "╭────────────────────────────────────────────╮",
  "│ ✻ Claude Code                              │",
  "│   ~/code/api                               │",
  "╰────────────────────────────────────────────╯",
  "",
  "> Rotate session tokens per device class and log every rotation.",
  "",
  "● I will look at how sessions are issued today.",
  "",
  "● Read(src/auth/session.ts)",
  "  ⎿  Read 118 lines",
  "",
  '● Search(pattern: "rotate\\(", path: "src")',
  "  ⎿  Found 3 files",
  "",
  "● Write(src/auth/ttl.ts)",
  "  ⎿  Wrote 22 lines",
  "      1 + export const ttl = (d: Device) => TTL[d.class] ?? DAY;",
  "      … +21 lines",
  "",
  "● Bash(pnpm vitest src/auth)",
  "  ⎿  ✓ src/auth/ttl.test.ts (9)",
  "     ✓ src/auth/session.test.ts (21)",
  "     Test Files  2 passed (2)   Time  1.84s",
  "",
  "● ttl() is in place and covered. Rotation still uses a fixed day, so I will switch it over and",
  "  write an audit record for every rotation.",
  "",
  "● Update(src/auth/session.ts)",
  `╭${"─".repeat(83)}╮`,
  box("Edit file"),
  box("src/auth/session.ts"),
  box(""),
  box(" 39    /** Extends a live session and returns it. */"),
  box(" 40"),
  box(" 41    export function rotate(s: Session) {"),
  box(" 42 -    s.expires = now() + DAY;"),
  box(" 42 +    s.expires = now() + ttl(s.device);"),
  box(' 43 +    audit("session.rotate", s.id);'),
  box(" 44      return s;"),
  `╰${"─".repeat(83)}╯`,
  "",
  "Do you want to make this edit to session.ts?",
  "❯ 1. Yes",
  "  2. Yes, allow all edits during this session",
  "  3. No, and tell Claude what to do differently",
];

/** The fleet that the screens are designed with. */
export function fixturePanes(): PaneState[] {
  return [
    fleetPane(CLAUDE, 12, "api:auth", "session-rotation", "needs_input", 14 * MINUTE, {
      starred: true,
      question: "Do you want to make this edit to session.ts?",
      evidence: [
        "src/auth/session.ts",
        " 41    export function rotate(s: Session) {",
        " 42 -    s.expires = now() + DAY;",
        " 42 +    s.expires = now() + ttl(s.device);",
        ' 43 +    audit("session.rotate", s.id);',
        " 44      return s;",
      ],
      menu: [
        option("1", "Yes", { selected: true }),
        option("2", "Yes, allow all edits during this session"),
        option("3", "No, and tell Claude what to do differently", { freeform: true }),
      ],
      lines: SESSION_ROTATION,
      reason: "agent_a.permission.footer",
    }),
    fleetPane(CLAUDE, 14, "api:bench", "query-planner", "working", 4 * MINUTE, {
      lines: [
        '● Bash(psql -c "explain analyze …")',
        "  ⎿  Hash Join  (actual 812.4 ms)",
        "● Rewriting the join order for",
        "  /reports, then re-measuring.",
        "",
        "✻ Measuring… (4m 2s · esc to stop)",
      ],
    }),
    fleetPane(CLAUDE, 15, "api:spec", "list-endpoints", "needs_input", 6 * MINUTE, {
      question: "Which pagination should the list endpoints use?",
      menu: [
        option("1", "Cursor (recommended)", {
          selected: true,
          description: "Opaque cursor. Stable while rows are inserted, no total count.",
        }),
        option("2", "Offset and limit", {
          description: "Simple to read. Pages shift while rows are inserted.",
        }),
        option("3", "Keyset on created_at", {
          description: "Fast on large tables. Needs a unique tiebreaker column.",
        }),
        option("4", "Type something", { freeform: true }),
      ],
      evidence: ["Question 2 of 3 · Pagination"],
      lines: [
        "● I have three questions before I write the endpoints.",
        "",
        " ☒ Naming  ☐ Pagination  ☐ Errors",
        "",
        "Which pagination should the list endpoints use?",
        "❯ 1. Cursor (recommended)",
        "  2. Offset and limit",
        "  3. Keyset on created_at",
        "  4. Type something",
      ],
    }),
    fleetPane(CLAUDE, 16, "api:limits", "rate-limits", "idle", 29 * MINUTE, {
      lines: ["● All limits are enforced at the edge now.", "Done. 4 files changed, tests pass."],
    }),
    fleetPane(SHELL, 17, "api:zsh", "shell", "idle", 62 * MINUTE, {
      lines: ["~/code/api main ✓"],
    }),
    fleetPane(CODEX, 21, "web:checkout", "checkout-migration", "needs_input", 3 * MINUTE, {
      question: "Would you like to run the following command?",
      evidence: ["$ pnpm prisma migrate deploy --schema packages/db/schema.prisma"],
      menu: [
        option("y", "Yes, proceed", { selected: true }),
        option("p", "Yes, and don't ask again for this command"),
        option("esc", "No, and tell Codex what to do differently", { freeform: true }),
      ],
      lines: [
        "• The migration is written. It has to run before the tests.",
        "",
        "  Would you like to run the following command?",
        "",
        "  $ pnpm prisma migrate deploy --schema packages/db/schema.prisma",
        "",
        "› 1. Yes, proceed (y)",
        "  2. Yes, and don't ask again for this command (p)",
        "  3. No, and tell Codex what to do differently (esc)",
      ],
    }),
    fleetPane(CODEX, 22, "web:tests", "integration-tests", "working", 12 * MINUTE, {
      starred: true,
      lines: ["• Running the whole suite once more", "✓ 212 passed  ▸ orders.spec.ts (18 left)"],
    }),
    fleetPane(CODEX, 23, "web:i18n", "i18n-extract", "working", 21, {
      lines: ["612 strings, 14 new, 3 unused"],
    }),
    fleetPane(CODEX, 24, "web:css", "css-audit", "idle", 43 * MINUTE, {
      lines: ["Removed 1,204 unused rules"],
    }),
    fleetPane(GEMINI, 31, "mobile:ios", "ios-build", "working", 2 * MINUTE, {
      lines: ["CompileSwift PaneList.swift (71/340)"],
    }),
    fleetPane(CLAUDE, 35, "docs:site", "docs-site", "working", 48, {
      lines: ["Update(content/guides/install.md)"],
    }),
    fleetPane(OPENCODE, 41, "ml:embed", "embed-batch", "error", 8 * MINUTE, {
      lines: [
        "batch 412/600 written",
        "Error: 529 overloaded_error",
        "gave up after 5 attempts",
        "> ",
      ],
    }),
    fleetPane(SHELL, 52, "ops:logs", "logs", "idle", 2 * MINUTE, {
      stale: true,
      actionable: false,
      lines: ["GET /healthz 200 1ms"],
    }),
    placeholder(),
  ];
}

function placeholder(): PaneState {
  const base = pane();
  return {
    ...base,
    id: "cfg:ops:smoke.1",
    target: "ops:smoke.1",
    name: "staging-smoke",
    kind: "agent_a",
    status: "offline",
    updated: 0,
    status_since: 0,
    legacy_guard: null,
    command: "",
    cwd: "",
    actionable: false,
    stale: true,
    capabilities: fixture(PaneCapabilities, {}),
  };
}

/** Colours as an agent would paint its output: enough of each kind to see them. */
export function fixtureStyles(panes: readonly PaneState[]): Styles {
  return new Map(panes.map(({ id, lines }) => [id, lines.map(runsOf)]));
}

const PAINT: readonly (readonly [RegExp, string])[] = [
  [/^● /, "f2"],
  [/⎿.*/, "d"],
  [/^\$ .*/, "d"],
  [/✻/, "f#d97757"],
  [/❯ 1\. Yes$/, "b f12"],
  [/ 42 -.*;/, "f9 g#3d1418"],
  [/ (1|42|43) \+ .*;/, "f10 g#12301c"],
  [/Edit file/, "b"],
];

function runsOf(line: string) {
  const found = PAINT.flatMap(([pattern, style]) => {
    const match = pattern.exec(line);
    return match === null ? [] : [{ start: match.index, length: match[0].length, style }];
  });
  return found.toSorted((a, b) => a.start - b.start).slice(0, 1);
}
