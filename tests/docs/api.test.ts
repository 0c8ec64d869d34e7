import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { z } from "zod";
import { MAX_STALL_SECONDS, PING_SECONDS } from "../../src/connections/flow-controlled-socket.ts";
import { MAX_WRONG_TOKENS, WINDOW_SECONDS } from "../../src/http/auth.ts";
import { ANSWER_IDLE_SECONDS, IDLE_SECONDS } from "../../src/http/server.ts";
import { MAX_JSON_BYTES } from "../../src/lib/valid.ts";
import * as act from "../../src/protocol/act.ts";
import * as acts from "../../src/protocol/acts.ts";
import * as replies from "../../src/protocol/agent-replies.ts";
import * as agents from "../../src/protocol/agents.ts";
import * as cards from "../../src/protocol/cards.ts";
import * as changes from "../../src/protocol/changes.ts";
import * as config from "../../src/protocol/config.ts";
import { ConnectedSession } from "../../src/protocol/access.ts";
import * as creation from "../../src/protocol/creation.ts";
import { ENDPOINTS } from "../../src/protocol/endpoints.ts";
import { Explanation } from "../../src/protocol/explain.ts";
import * as frames from "../../src/protocol/frames.ts";
import * as hosts from "../../src/protocol/hosts.ts";
import { UploadedImage } from "../../src/protocol/input.ts";
import * as input from "../../src/protocol/input.ts";
import * as pane from "../../src/protocol/pane.ts";
import * as push from "../../src/protocol/push.ts";
import * as socket from "../../src/protocol/socket.ts";
import * as usage from "../../src/protocol/usage.ts";

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

/** The members of an object, the words of a closed list. */
function namesOf(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  if (schema instanceof z.ZodEnum) return schema.options.map(String);
  if (schema instanceof z.ZodUnion)
    return schema.options.flatMap((one) => namesOf(one as z.ZodType));
  throw new Error("it has no names");
}

const { agent_context_v1, terminal_provider_v1 } = config.Capabilities.shape;
const DOCUMENTED: readonly (readonly [heading: string, ...schemas: z.ZodType[]])[] = [
  ["### PaneState", pane.PaneState, pane.MenuOption, pane.PaneCapabilities, pane.Parked],
  ["### PaneState", act.About, act.AboutKind, pane.PaneKind, pane.PaneStatus],
  ["## Cards", cards.Card, cards.CardLine, cards.CardAgent, cards.CardSection, cards.CardsDelta],
  ["## Cards", cards.CardLine.shape.kind, cards.CardNews.shape.kind],
  ["## Acting on panes", input.KeyRequest, input.TextRequest, input.SelectRequest],
  ["## Acting on panes", input.BroadcastRequest, input.GuardConflict],
  ["## Acting on panes", input.GuardConflict.shape.reason],
  ["### Record of acts: `act_ledger_v1`", act.Act, act.ActKind, act.ActState, acts.AccessEvent],
  ["### Record of acts: `act_ledger_v1`", acts.AccessKind, acts.ActsQuery],
  ["### Record of acts: `act_ledger_v1`", acts.RecordReply, acts.FatesReply],
  ["## Explaining a status", Explanation],
  ["### `GET /api/config`", config.ConfigReply, config.ConfigField, config.FieldKind],
  ["### `_info`", config.Info],
  ["## Versions and capabilities", config.Capabilities, agent_context_v1, terminal_provider_v1],
  ["## Delta sockets", frames.DeltaFrame, frames.PaneDelta, frames.LinesPatch],
  ["## Alerts", push.PushDevice, push.Preferences, push.AlertLogEntry, push.QuietHours],
  ["## Alerts", push.TestReply, push.LastDelivery, push.AlertReason, push.Suppression],
  ["## Agents", agents.AgentSession, agents.BindingCandidate, agents.AgentLifecycle],
  ["## Agents", agents.AgentSession.shape.capabilities, agents.AgentContext, agents.Provenance],
  ["## Agents", agents.ContextDelta, agents.TimelineEvent, agents.TimelineType],
  ["## Agents", agents.ChatMessage, replies.MessageList, replies.MessageList.shape.filters],
  ["## Agents", agents.DecisionItem, agents.DecisionOption, agents.DecisionItem.shape.priority],
  ["## Agents", replies.AgentResume, replies.AgentEvent],
  ["## Agents", replies.MessageRequest, replies.DecisionReply, replies.AgentEventKind],
  ["## Changes", changes.FileQuery, changes.Changes, changes.ChangedFile, changes.FileChanges],
  ["## Changes", changes.DiffHunk, changes.DiffLine, changes.WordMark, changes.ChangedStatus],
  ["### Search", replies.MessageSearch, replies.MessageHit],
  ["## Connected sessions", ConnectedSession],
  ["## Images", UploadedImage],
  ["## Hosts", hosts.HostStep, hosts.HostStepName, hosts.HostState],
  ["## Hosts", hosts.HostStatus, hosts.HostReason],
  ["## Creation", creation.CreationState, creation.DirectoryListing, creation.CreateReply],
  ["## Creation", creation.CreateRequest, creation.CreationState.shape.recent_directories.element],
  ["## Usage", usage.UsageReply, usage.UsageHistory, usage.UsageTotals, usage.UsageBucket],
  ["## Usage", usage.UsageQuota, usage.UsageToday],
];

describe("docs/api.md", () => {
  test.each(DOCUMENTED)("names every member in %s", (heading, ...schemas) => {
    const text = section(heading);
    const missing = schemas
      .flatMap(namesOf)
      .filter((name) => !new RegExp(`\\b${name}\\b`).test(text));
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
    expect(section("## Delta sockets")).toContain(`at most ${frames.MAX_VIEWED_PANES} ids`);
    expect(page).toContain(`at most ${pane.MAX_TARGET_CHARS} characters (422)`);
    expect(page).toContain(`at most ${config.MAX_OVERRIDES.toLocaleString("en")} overrides`);
    expect(page).toContain(`idle for ${IDLE_SECONDS} s is closed`);
    expect(page).toContain(`may take up to ${ANSWER_IDLE_SECONDS} s to answer`);
  });

  test("tells every close code", () => {
    const codes = Object.values(socket).filter(Number.isInteger);
    expect(codes.length).toBeGreaterThan(0);
    for (const code of codes) expect(section("## Errors")).toContain(`| ${code} |`);
  });
});
