import { describe, expect, test } from "bun:test";
import { changedMethods } from "../../../src/terminal/wsp/identity.ts";
import { SCHEMA } from "../../support/wsp/schema.ts";
import { permission, runAgent, watched } from "../../support/wsp/watched.ts";

// By its documentation 0.9.3 has protocol 22 and replays no events. Its executable could not be tested.
const UNTRIED = { version: "0.9.3", protocol: 22 };
const asking = (accept: "verified" | "untested") =>
  watched((each) => void runAgent(each, permission("Do you want to proceed?"), "blocked"), {
    accept,
    release: UNTRIED,
  });

describe("an untested release", () => {
  test("is watched but not answered, and the health says so", async () => {
    await using stage = await asking("verified");
    const pane = stage.only();
    expect(pane).toMatchObject({ status: "needs_input", stale: false, actionable: false });
    expect(stage.poller.health()).toMatchObject({
      ...{ status: "degraded", last_error: "incompatible", version: "0.9.3", protocol: 22 },
      message: expect.stringMatching(/^herdr 0\.9\.3 has not been tried: .* answers are off; /),
    });
    const option_id = pane.menu[0]?.id ?? "";
    expect(await stage.ask({ operation: "select", option_id })).toMatchObject({
      reason: "endpoint_stale",
    });
    expect(stage.world.panes[0]?.received).toBe("");
  });

  test("is answered where the settings accept untested releases", async () => {
    await using stage = await asking("untested");
    expect(stage.poller.health()).toMatchObject({ status: "ready", last_error: null });
    const option_id = stage.only().menu[0]?.id ?? "";
    expect(await stage.ask({ operation: "select", option_id })).toBe("accepted");
    expect(stage.world.panes[0]?.received).toBe("1");
  });
});

test("a method counts as changed where it requires more, lacks a parameter or takes another type", () => {
  expect(changedMethods(SCHEMA)).toEqual([]);
  const changed = (from: string, to: string) =>
    changedMethods(JSON.parse(JSON.stringify(SCHEMA).replaceAll(from, to)));
  // One more required parameter, a renamed one, one of another type, one more optional parameter.
  expect(changed('"required":["pane_id","text"]', '"required":["pane_id","text","ttl"]')).toEqual([
    "pane.send_text",
  ]);
  expect(changed('"target":{', '"terminal":{')).toEqual(["agent.send_keys"]);
  expect(changed('["integer","null"]', '["string","null"]')).toEqual(["pane.read"]);
  expect(changed('"text":{', '"more":{"type":"string"},"text":{')).toEqual([]);
});
