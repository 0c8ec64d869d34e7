import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { signal } from "@preact/signals";
import type { PhoneCheck } from "../../src/protocol/access.ts";
import { Preferences, PushDevice } from "../../src/protocol/push.ts";
import {
  checklist,
  type DeviceFacts,
  failedStep,
  withMute,
  activeMutes,
  tomorrowMorning,
} from "../../web/model/notifications.ts";
import { Notifications } from "../../web/state/server/notifications.ts";
import { Queries } from "../../web/state/server/queries.ts";
import { PhoneSetup } from "../../web/state/server/sign-in.ts";
import { fixture } from "../support/fixture.ts";
import { NOW } from "../support/fixture-panes.ts";
import { pairingLink, phoneState } from "../support/fixture-replies.ts";
import { apiOf, serverOf, type Answer } from "../support/page-server.ts";
import { forAll } from "../support/laws.ts";

/** A phone setup over a server with a failing check, signed-in phones and a list of its requests. */
function setupOf(inTheWay: PhoneCheck["id"] | null = null) {
  const server = { inTheWay, phones: [] as { id: string; name: string; paired_at: number }[] };
  const requests: string[] = [];
  let codes = 0;
  const answer = (path: string) => {
    if (path.startsWith("/api/phone?"))
      return { body: { ...phoneState(server.inTheWay), phones: server.phones } };
    if (path === "/api/pair/codes")
      return { body: { ...pairingLink(), short_code: `CODE-${(codes += 1)}` } };
    throw new Error(`nobody answers ${path}`);
  };
  const api = apiOf(({ method, path }) => {
    requests.push(`${method} ${path}`);
    return answer(path);
  });
  const setup = new PhoneSetup(serverOf({ api, origin: "https://desk.example" }));
  return { server, requests, setup, code: () => setup.link.value.value?.short_code ?? null };
}

describe("the pairing code", () => {
  test("is requested once no check fails, and goes when one does", async () => {
    const { server, requests, setup, code } = setupOf("reachable");
    await setup.look(NOW);
    expect(requests).toEqual(["GET /api/phone?page=https%3A%2F%2Fdesk.example"]);
    server.inTheWay = null;
    await setup.look(NOW);
    await setup.look(NOW);
    expect(code()).toBe("CODE-1");
    server.inTheWay = "reachable";
    await setup.look(NOW);
    expect(code()).toBeNull();
  });

  test("is renewed before it ends, and once a phone has used it", async () => {
    const { server, setup, code } = setupOf();
    await setup.look(NOW);
    await setup.look(NOW + 289);
    expect(code()).toBe("CODE-1");
    await setup.look(NOW + 291);
    expect(code()).toBe("CODE-2");
    server.phones = [{ id: "a", name: "Safari on iOS", paired_at: NOW }];
    await setup.look(NOW);
    expect([code(), setup.joined.value]).toEqual(["CODE-3", "Safari on iOS"]);
  });

  test("for an address without encryption is shown only after a person accepts that", async () => {
    const { setup, code } = setupOf("encrypted");
    await setup.look(NOW);
    expect([setup.failed.value?.id, code()]).toEqual(["encrypted", null]);
    setup.isPlainTaken.value = true;
    await setup.look(NOW);
    expect(code()).toBe("CODE-1");
  });
});

test("a device that joins is noticed although another view has asked meanwhile, a known one is not", async () => {
  for (const isThere of [false, true]) {
    const { server, setup, code } = setupOf();
    const phones = [{ id: "a", name: "Safari on iOS", paired_at: NOW }];
    if (isThere) server.phones = phones;
    await setup.look(NOW);
    server.phones = phones;
    await setup.state.reload();
    await setup.look(NOW);
    const [now, joined] = isThere ? ["CODE-1", null] : ["CODE-2", "Safari on iOS"];
    expect([code(), setup.joined.value]).toEqual([now, joined]);
  }
});

test("another scope gets another pairing code", async () => {
  const { setup, code } = setupOf();
  await setup.look(NOW);
  await setup.chooseScope("answer");
  expect([code(), setup.codeScope.value]).toEqual(["CODE-2", "answer"]);
});

const READY: DeviceFacts = {
  isSecure: true,
  needsHomeScreen: false,
  isOnHomeScreen: false,
  hasPush: true,
  permission: "granted",
  device: { gone: null, last: null },
};
const words = (facts: DeviceFacts) =>
  checklist(facts)
    .map(({ name, state }) => `${name} ${state}`)
    .join(", ");
const refused = { at: 1, reason: "test", result: "failed", detail: "403 BadJwtToken" } as const;

describe("the checklist of a device", () => {
  test.each([
    ["ready", {}, "https done, allowed done, subscribed done"],
    [
      "never asked",
      { permission: "default", device: null },
      "https done, allowed open, subscribed open",
    ],
    [
      "plain HTTP",
      { isSecure: false, hasPush: false },
      "https failed, allowed open, subscribed open",
    ],
    [
      "iOS, not on the home screen",
      { needsHomeScreen: true, hasPush: false, permission: "default", device: null },
      "https done, home_screen failed, allowed open, subscribed open",
    ],
    [
      "a browser without push",
      { hasPush: false },
      "https done, supported failed, allowed open, subscribed open",
    ],
    ["blocked", { permission: "denied" }, "https done, allowed failed, subscribed open"],
    ["dropped", { device: { gone: 7, last: null } }, "https done, allowed done, subscribed failed"],
    [
      "refused",
      { device: { gone: null, last: refused } },
      "https done, allowed done, subscribed done, server failed",
    ],
  ] as const)("has its steps where the device is: %s", (_, facts, steps) => {
    expect(words({ ...READY, ...facts })).toBe(steps);
  });

  test("has at most one failed step, and only open steps after it", () => {
    const facts = fc.record({
      isSecure: fc.boolean(),
      needsHomeScreen: fc.boolean(),
      isOnHomeScreen: fc.boolean(),
      hasPush: fc.boolean(),
      permission: fc.constantFrom("default" as const, "granted" as const, "denied" as const),
      device: fc.constantFrom(null, { gone: null, last: refused }, { gone: 1, last: null }),
    });
    forAll([facts], (one) => {
      const steps = checklist(one);
      const failed = steps.filter(({ state }) => state === "failed");
      expect(failed.length).toBeLessThanOrEqual(1);
      expect(failedStep(steps)).toBe(failed[0]?.name ?? null);
      const firstNotDone = steps.findIndex(({ state }) => state !== "done");
      const behind = firstNotDone < 0 ? [] : steps.slice(firstNotDone + 1);
      expect(behind.every(({ state }) => state === "open")).toBe(true);
    });
  });
});

test("a mute replaces the earlier one of its pane, and ends at its time", () => {
  const muted = withMute([{ target: "a", until: 5 }], "a", null);
  expect(muted).toEqual([{ target: "a", until: null }]);
  expect(withMute(muted, "a", "not")).toEqual([]);
  expect(activeMutes([...muted, { target: "b", until: 10 }], 10)).toEqual(muted);
});

test("tomorrow is seven o'clock of the next day that has not begun, late at night and after midnight", () => {
  const at = (hours: number) => new Date(2026, 0, 31, hours, 30).getTime() / 1000;
  const next = new Date(2026, 1, 1, 7).getTime() / 1000;
  expect([23, 0].map((hours) => tomorrowMorning(at(hours)))).toEqual([next, next]);
});

test("a list of devices that was asked for before a choice does not take it back", async () => {
  const of = (details: "name" | "none") =>
    fixture(PushDevice, { id: "here", preferences: fixture(Preferences, { details }) });
  const late = Promise.withResolvers<Answer>();
  const lists = [{ body: { devices: [of("none")] } }, late.promise];
  const api = apiOf(({ method }) =>
    method === "PATCH" ? { body: of("name") } : (lists.shift() ?? "lost"),
  );
  const device = { id: signal("here") };
  const server = serverOf({ api, browser: { device }, part: () => queries });
  const queries = new Queries(server);
  const { devices, preferences } = new Notifications(server);
  await devices.load();
  const again = devices.reload();
  await preferences.save("details", "name");
  late.resolve({ body: { devices: [of("none")] } });
  await again;
  expect(preferences.shown("details")).toBe("name");
});
