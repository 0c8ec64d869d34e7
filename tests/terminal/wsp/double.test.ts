import { describe, expect, test } from "bun:test";
import { isOfService } from "../../support/wsp/cli.ts";
import { recordedCalls, recordedSnapshots } from "../../support/wsp/recorded.ts";
import { stageOf } from "../../support/wsp/stages.ts";

/** Recorded calls of the service that the double does not play, each with the reason. */
const NOT_MODELLED: Readonly<Record<string, string>> = {
  "fake/pong-without-protocol": "an answer of a scripted socket that no server gives",
  "cli/api-schema-json": "a document that the recording leaves out",
  "altread/recent-unwrapped-200-ansi": "a text that the program drew while it was scrolled",
  "read/big-1000-lines-truecolor-ansi": "a document that the recording tells only by its size",
  "read/alt-screen-pane-get": "a state that no recording tells whole",
  "restart/old-id-before": "a state that no recording tells whole",
  "session/default-running-session-list": "a state that no recording tells whole",
};

const calls = await recordedCalls();
const library = {
  calls: new Map(calls.map((call) => [call.name, call])),
  snapshots: await recordedSnapshots(),
};

describe("the double answers as the recorded program did", () => {
  test.each(
    calls
      .filter(({ name, args, env = {} }) => isOfService({ args, env }) && !(name in NOT_MODELLED))
      .map((call) => [call.name, call] as const),
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
