import { DevicesReply, type PushDevice } from "../../src/protocol/push.ts";
import { preferencesWith } from "../../src/push/device.ts";
import type { FixtureServer } from "./fixture-server.ts";
import { NOW } from "./fixture-panes.ts";

export const OWN_DEVICE = "0123456789abcdef";
const DAY = 86_400;

function device(
  members: Partial<PushDevice> & Pick<PushDevice, "id" | "kind" | "name">,
): PushDevice {
  return {
    ...{
      platform: "web",
      added: NOW - 40 * DAY,
      host: "push.example.org",
      failures: 0,
      gone: null,
    },
    last: { at: NOW - 840, reason: "needs_input", result: "accepted", detail: "201" },
    preferences: preferencesWith(members.kind, { onError: true }),
    ...members,
  };
}

/** This browser among others, as the server lists them. */
export function pushDevices(): DevicesReply {
  const preferences = {
    ...preferencesWith("web", { onError: true }),
    wait_minutes: 2,
    remind_minutes: 10,
    quiet: { start: "22:00", end: "07:00", time_zone: "UTC", urgent: true },
    muted: [
      { target: "ml:2.1", until: NOW + 3600 },
      { target: "gone:1.1", until: null },
    ],
  };
  return DevicesReply.parse({
    devices: [
      device({ id: OWN_DEVICE, kind: "web", name: "Chrome on Linux", preferences }),
      device({ id: "a", kind: "web", name: "Firefox on Linux" }),
      device({ id: "b", kind: "web", name: "Chrome on Android", gone: NOW - 5000 }),
      device({ id: "c", kind: "apns", name: "iPhone", platform: "ios" }),
      device({ id: "ntfy", kind: "ntfy", name: "ntfy", host: "ntfy.sh", added: 0 }),
    ],
  });
}

/** A server that can alert, and knows these devices. */
export function enablePush(server: FixtureServer, reply = pushDevices()): void {
  const key = `B${"A".repeat(86)}`;
  server.config._info.capabilities.web_push_v1 = {
    version: 1,
    web_push: true,
    ntfy: true,
    public_key: key,
    reasons: [],
  };
  server.replies["/api/push/devices"] = () => reply;
}
