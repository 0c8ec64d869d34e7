import {
  AgentEventKind,
  DecisionReply,
  MessageFind,
  MessageRequest,
  MessageSearch,
} from "../../src/protocol/agent-replies.ts";
import { AgentLifecycle, AgentSession, BindingCandidate } from "../../src/protocol/agents.ts";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { MAX_WRONG_TOKENS, WINDOW_SECONDS } from "../../src/http/auth.ts";
import { ANSWER_IDLE_SECONDS, IDLE_SECONDS } from "../../src/http/server.ts";
import { MAX_STALL_SECONDS, PING_SECONDS } from "../../src/connections/flow-controlled-socket.ts";
import {
  ChangedFile,
  ChangedStatus,
  Changes,
  DiffHunk,
  DiffLine,
  FileChanges,
  FileQuery,
  WordMark,
} from "../../src/protocol/changes.ts";
import { ENDPOINTS } from "../../src/protocol/endpoints.ts";
import { MAX_JSON_BYTES } from "../../src/lib/valid.ts";
import * as close from "../../src/protocol/close.ts";
import { About, AboutKind, Act, ActKind, ActState } from "../../src/protocol/act.ts";
import {
  AccessEvent,
  AccessKind,
  ActsQuery,
  FatesReply,
  RecordReply,
} from "../../src/protocol/acts.ts";
import {
  Capabilities,
  ConfigField,
  ConfigReply,
  FieldKind,
  Info,
  MAX_OVERRIDES,
} from "../../src/protocol/config.ts";
import { ConnectedSession } from "../../src/protocol/connections.ts";
import {
  CreateReply,
  CreateRequest,
  CreationState,
  DirectoryListing,
} from "../../src/protocol/creation.ts";
import {
  HostReason,
  HostState,
  HostStatus,
  HostStep,
  HostStepName,
} from "../../src/protocol/hosts.ts";
import { UploadedImage } from "../../src/protocol/images.ts";
import {
  AlertReason,
  AlertLogEntry,
  LastDelivery,
  Preferences,
  PushDevice,
  QuietHours,
  Suppression,
  TestReply,
} from "../../src/protocol/push.ts";
import {
  UsageBucket,
  UsageHistory,
  UsageQuota,
  UsageReply,
  UsageToday,
  UsageTotals,
} from "../../src/protocol/usage.ts";
import {
  Card,
  CardAgent,
  CardLine,
  CardNews,
  CardsDelta,
  CardSection,
} from "../../src/protocol/cards.ts";
import { DeltaFrame, LinesPatch, MAX_VIEWED_PANES, PaneDelta } from "../../src/protocol/frames.ts";
import {
  BroadcastRequest,
  Explanation,
  GuardConflict,
  KeyRequest,
  SelectRequest,
  TextRequest,
} from "../../src/protocol/input.ts";
import {
  MAX_TARGET_CHARS,
  MenuOption,
  PaneCapabilities,
  PaneKind,
  PaneState,
  PaneStatus,
  Parked,
} from "../../src/protocol/pane.ts";

const page = await Bun.file(join(import.meta.dir, "../../docs/api.md")).text();

/** The text under a heading, with the smaller headings in it. */
function section(heading: string): string {
  const [level = ""] = heading.split(" ");
  const lines = page.split("\n");
  const start = lines.indexOf(heading);
  if (start < 0) throw new Error(`docs/api.md has no heading ${heading}`);
  const end = lines.findIndex(
    (line, index) => index > start && /^#+ /.test(line) && line.indexOf(" ") <= level.length,
  );
  return lines.slice(start, end < 0 ? undefined : end).join("\n");
}

const members = (schema: { shape: object }) => Object.keys(schema.shape);
const documented: [string, string[]][] = [
  ["### PaneState", [...members(PaneState), ...members(MenuOption), ...members(PaneCapabilities)]],
  ["### PaneState", [...members(Parked), ...members(About), ...AboutKind.options]],
  [
    "## Cards",
    [...members(Card), ...members(CardLine), ...members(CardAgent), ...CardSection.options],
  ],
  ["## Cards", [...CardLine.shape.kind.options, ...CardNews.shape.kind.options]],
  ["## Cards", members(CardsDelta)],
  ["### PaneState", [...PaneKind.options, ...PaneStatus.options]],
  ["## Acting on panes", [...members(KeyRequest), ...members(TextRequest)]],
  ["## Acting on panes", [...members(SelectRequest), ...members(BroadcastRequest)]],
  ["## Acting on panes", [...members(GuardConflict), ...GuardConflict.shape.reason.options]],
  [
    "### What was sent: `act_ledger_v1`",
    [...members(Act), ...ActKind.options, ...ActState.options],
  ],
  ["### What was sent: `act_ledger_v1`", [...members(AccessEvent), ...AccessKind.options]],
  [
    "### What was sent: `act_ledger_v1`",
    [...members(ActsQuery), ...members(RecordReply), ...members(FatesReply)],
  ],
  ["## Why a pane is what it is", members(Explanation)],
  ["### `GET /api/config`", [...members(ConfigReply), ...members(ConfigField)]],
  ["### `GET /api/config`", FieldKind.options],
  ["### `_info`", members(Info)],
  ["## Versions and capabilities", members(Capabilities)],
  ["## Versions and capabilities", members(Capabilities.shape.agent_context_v1)],
  ["## Versions and capabilities", members(Capabilities.shape.terminal_provider_v1)],
  ["## Delta sockets", [...members(DeltaFrame), ...members(PaneDelta), ...members(LinesPatch)]],
  ["## Alerts", [...members(PushDevice), ...members(Preferences), ...members(AlertLogEntry)]],
  ["## Alerts", [...members(QuietHours), ...members(TestReply), ...members(LastDelivery)]],
  ["## Alerts", [...AlertReason.options, ...Suppression.options]],
  [
    "## Agents",
    [...members(AgentSession), ...members(BindingCandidate), ...AgentLifecycle.options],
  ],
  ["## Agents", [...members(MessageRequest), ...members(DecisionReply), ...AgentEventKind.options]],
  ["## Changes", [...members(FileQuery), ...members(Changes), ...members(ChangedFile)]],
  ["## Changes", [...members(FileChanges), ...members(DiffHunk), ...members(DiffLine)]],
  ["## Changes", [...members(WordMark), ...ChangedStatus.options]],
  ["### Search", [...members(MessageSearch), ...members(MessageFind)]],
  ["## Connected sessions", members(ConnectedSession)],
  ["## Images", members(UploadedImage)],
  [
    "## Hosts",
    [
      ...members(HostStep),
      ...HostStepName.options,
      ...members(HostState),
      ...HostStatus.options,
      ...HostReason.options,
    ],
  ],
  [
    "## Creation",
    [...members(CreationState), ...members(DirectoryListing), ...members(CreateReply)],
  ],
  ["## Creation", CreateRequest.options.flatMap(members)],
  ["## Usage", [...members(UsageReply), ...members(UsageHistory), ...members(UsageTotals)]],
  ["## Usage", [...members(UsageBucket), ...members(UsageQuota), ...members(UsageToday)]],
];

describe("docs/api.md", () => {
  test.each(documented)("names every member in %s", (heading, names) => {
    const text = section(heading);
    const missing = names.filter((name) => !new RegExp(`\\b${name}\\b`).test(text));
    expect(missing).toEqual([]);
  });

  test("names every endpoint and its methods, and none that there is not", () => {
    const named = [...page.matchAll(/`((?:[A-Z]+ )+)(\/api\/[\w/:]+)[?`]/g)];
    const documented = named.flatMap(([, verbs = "", path = ""]) =>
      verbs
        .trim()
        .split(" ")
        .map((verb) => `${verb} ${path}`),
    );
    expect([...new Set(documented)].sort()).toEqual(Object.keys(ENDPOINTS).sort());
  });

  test("tells the limits that hold", () => {
    expect(MAX_JSON_BYTES).toBe(2 ** 20);
    expect(page).toContain("A body over 1 MiB is 413");
    expect(page).toContain(`${MAX_WRONG_TOKENS} wrong tokens in ${WINDOW_SECONDS} seconds`);
    expect(page).toContain(`closed with 1013`);
    expect(section("## The socket")).toContain(`taken nothing for ${MAX_STALL_SECONDS} s`);
    expect(PING_SECONDS).toBe(60);
    expect(section("## The socket")).toContain("pings once a minute");
    expect(section("## Delta sockets")).toContain(`at most ${MAX_VIEWED_PANES} ids`);
    expect(page).toContain(`at most ${MAX_TARGET_CHARS} characters (422)`);
    expect(page).toContain(`at most ${MAX_OVERRIDES.toLocaleString("en")} overrides`);
    expect(page).toContain(`nothing moves for ${IDLE_SECONDS} s is closed`);
    expect(page).toContain(`may take up to ${ANSWER_IDLE_SECONDS} s to answer`);
  });

  test("tells every close code", () => {
    const codes = Object.values(close);
    expect(codes.length).toBeGreaterThan(0);
    for (const code of codes) expect(section("## Errors")).toContain(`| ${code} |`);
  });

  test("links only to what it has", () => {
    const anchors = new Set(
      page
        .split("\n")
        .filter((line) => line.startsWith("## "))
        .map((line) => line.slice(3).toLowerCase().replaceAll(" ", "-")),
    );
    for (const [, anchor = ""] of page.matchAll(/\]\(#([^)]+)\)/g))
      expect(anchors).toContain(anchor);
  });
});
