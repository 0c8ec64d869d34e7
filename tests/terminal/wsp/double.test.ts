import { describe, expect, test } from "bun:test";
import { recordedCalls, recordedSnapshots } from "../../support/wsp/recorded.ts";
import { stageOf } from "../../support/wsp/stages.ts";

/** Recorded calls that the double does not play, each with the reason. */
const NOT_MODELLED: Readonly<Record<string, string>> = {
  ...because("a command that changes the session: never run by who only watches", [
    ...["agent/rename", "handoff/live-handoff", "life/close-pane", "life/focus-pane"],
    ...["life/move-back", "life/move-to-new-tab", "life/move-to-other-tab"],
    ...["life/move-to-other-workspace", "life/rename-pane", "life/rename-tab"],
    ...["life/rename-workspace", "life/split-in-the-same-place", "life/swap", "life/tab-focus"],
    ...["life/tab-move", "life/workspace-create", "life/zoom", "restart/second-server-start"],
    ...["restart/session-stop", "restart/session-stop-again", "restart/session-stop-again-json"],
    ...["session/default-running-workspace-create", "session/default-stop"],
  ]),
  ...because("a command that the service has no use for", [
    ...["agent/agent-explain-blocked", "real-claude/blocked-agent-explain"],
    ...["real-codex/blocked-agent-explain", "cli/pane-layout", "guard/agent-prompt-blocked"],
    ...["guard/agent-prompt-idle", "guard/agent-prompt-text-__", "guard/agent-prompt-text-__help"],
    ...["guard/agent-prompt-text-__wait", "guard/agent-prompt-text-_x"],
    ...["guard/agent-prompt-text-a_b", "guard/agent-prompt-text-empty"],
  ]),
  ...because("a text for people: the service asks for JSON", [
    ...["cli/session-list-text", "cli/status-text", "cli/pane-no-subcommand", "events/cli-help"],
    ...["cli/status-json-extra-word", "cli/unknown-pane-subcommand"],
  ]),
  ...because("a document that the recording leaves out, or tells only by its size", [
    ...["cli/api-schema-json", "read/big-1000-lines-truecolor-ansi"],
  ]),
  ...because("an answer of a scripted socket that no server gives", [
    ...["fake/ping-error", "fake/pong-without-protocol", "fake/read-without-text"],
    ...["fake/slow-answer", "fake/unknown-fields-and-types", "fake/wrong-id", "fake/wrong-type"],
  ]),
  ...because("a text that the program drew while the server scrolled it", [
    ...["altread/recent-unwrapped-200-text", "altread/recent-unwrapped-40-text"],
    ...["altread/recent-unwrapped-200-ansi", "real-claude/idle-recent-unwrapped-200-text"],
  ]),
  ...because("a state that no recording tells whole", [
    ...["attach/scrolled-visible", "read/alt-screen-pane-get", "read/fresh-shell-visible"],
    ...["restart/old-id-before", "session/default-running-session-list"],
  ]),
};

function because(reason: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, reason]));
}

const calls = await recordedCalls();
const library = {
  calls: new Map(calls.map((call) => [call.name, call])),
  snapshots: await recordedSnapshots(),
};

describe("the double answers as the recorded program did", () => {
  test.each(
    calls.filter(({ name }) => !(name in NOT_MODELLED)).map((call) => [call.name, call] as const),
  )("%s", async (_, call) => {
    const { machine, env } = stageOf(library, call);
    const outcome = await Promise.race([machine.run(call.args, env), hung()]);
    if (typeof call.exit === "string") return expect(outcome).toBe("hung");
    if (outcome === "hung") throw new Error("the double gave no answer");
    expect({
      code: outcome.code,
      stdout: withoutLayouts(String(outcome.stdout)),
      stderr: outcome.stderr,
    }).toEqual({ code: call.exit, stdout: withoutLayouts(call.stdout), stderr: call.stderr });
  });
});

test("nothing is listed as not played that is not recorded", () => {
  expect(Object.keys(NOT_MODELLED).filter((name) => !library.calls.has(name))).toEqual([]);
});

async function hung(): Promise<"hung"> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  return "hung";
}

function withoutLayouts(text: string): string {
  return text.replace(/"layouts":\[.*?\],"panes":\[\{"agent/, '"layouts":[],"panes":[{"agent');
}
