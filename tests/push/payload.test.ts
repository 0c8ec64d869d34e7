import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { apnsPayload, confirmOf } from "../../src/push/apns.ts";
import { type BadgedMessage, type PaneMessage, PARKED_TAG } from "../../src/push/message.ts";
import { callWebhook, SIGNATURE_HEADER, sendToTopic } from "../../src/push/channels.ts";
import { QuotaWatch } from "../../src/push/push.ts";
import { contactOf, webPayload } from "../../src/push/web-push.ts";
import {
  contactFault,
  hostPortFault,
  serviceOriginFault,
  topicFault,
  topicWarning,
} from "../../src/config/checks.ts";
import { PushStandIn } from "../support/push-stand-in.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { decisionOf } from "../review/works.ts";
import { alertOf } from "./stage.ts";
import { fixture } from "../support/fixture.ts";
import { MenuOption } from "../../src/protocol/pane.ts";
import { UsageQuota } from "../../src/protocol/usage.ts";

const menu = (...labels: string[]) =>
  labels.map((label, index) =>
    fixture(MenuOption, { key: `${index + 1}`, label, selected: index === 0 }),
  );
const about = (members: Partial<PaneState> = {}): BadgedMessage<PaneMessage> => ({
  ...alertOf({ name: "secret-name", ...members }),
  ...{ tag: "t", badge: 1 },
});

describe("a native payload", () => {
  test.each([
    [["Yes", "No"], "confirm2"],
    [["y", "n"], "confirm2"],
    [["Yes", "Cancel"], "confirm2"],
    [["No", "Yes"], null],
    [["Yes", "Nothing of it"], null],
    [["Yes", "Yes, and don't ask again", "No, and tell Claude what to do differently"], "confirm3"],
    [["Yes, proceed", "Yes, always", "No"], "confirm3"],
    [["Yes", "Later", "No"], null],
    [["Yes", "No", "No, always"], null],
    [["Yes"], null],
    [[], null],
  ] as const)("for a menu of %j has the confirmation %p", (labels, category) => {
    expect(confirmOf(menu(...labels))).toBe(category);
  });

  test("of a confirmation has the pane's id and the keys of the answers, and no word of the pane", () => {
    const payload = apnsPayload(about({ menu: menu("Yes", "No, keep the table") }), "server");
    expect(payload).toMatchObject({
      aps: { category: "panewatch.confirm2" },
      panewatch: {
        id: "%3",
        menu: [
          { i: 0, key: "1" },
          { i: 1, key: "2" },
        ],
      },
    });
    expect(JSON.stringify(payload)).not.toMatch(/keep|secret-name/);
  });

  test.each<[string, Partial<PaneState>, number]>([
    ["is dangerous", { risk: { kinds: ["deletes"], text: "rm" } }, 1],
    ["was not shown whole", { cut: { lines: 3, characters: 0 } }, 1],
    ["is one of several", {}, 2],
    ["no longer waits", { status: "error" }, 1],
  ])("has no answers when the prompt %s", (_, members, count) => {
    const message = about({ menu: menu("Yes", "No"), ...members });
    const identities = Array.from({ length: count }, (__, n) => `pane ${n}`);
    const payload = apnsPayload({ ...message, identities }, "server");
    expect(payload).toMatchObject({ aps: { category: "panewatch.generic" } });
    expect(payload["panewatch"]).toEqual({ id: "%3" });
  });

  test("of a pane of another provider only opens the pane", () => {
    const payload = apnsPayload(
      about({ provider: "wsp", id: "h:x", menu: menu("Yes", "No") }),
      "s",
    );
    expect(payload).toMatchObject({
      aps: { category: "panewatch.open" },
      panewatch: { id: "h:x" },
    });
    expect(payload["panewatch"]).toEqual({ id: "h:x" });
  });

  test("has a form of its own for a decision, a digest, a quota and an answered prompt", () => {
    const item = decisionOf(2, 3, { revision: 3 });
    const ids = { decision: item, paneId: "%7", identity: "%7 100" };
    const decision = { kind: "decision", ...ids } as const;
    expect(apnsPayload({ ...decision, tag: "t", badge: 0 }, "server")).toMatchObject({
      aps: {
        alert: { body: "An agent needs your decision." },
        category: "panewatch.agent-decision",
        "thread-id": "panewatch-agents",
      },
      panewatch: {
        type: "decision",
        server_instance_id: "server",
        agent_id: item.agent_id,
        decision_id: item.id,
        revision: 3,
      },
    });
    expect(apnsPayload({ kind: "digest", tag: "t", badge: 0 }, "server")).toMatchObject({
      aps: {
        alert: { body: "Your agent review is ready." },
        category: "panewatch.agent-review",
        "thread-id": "panewatch-agents",
      },
      panewatch: { type: "review_due", server_instance_id: "server" },
    });
    expect(apnsPayload({ kind: "quota", tag: "t", badge: 0 }, "server")).toMatchObject({
      aps: { alert: { body: "A usage limit is near." }, "thread-id": "panewatch-usage" },
      panewatch: { type: "quota" },
    });
    const quiet = apnsPayload({ kind: "answered", paneId: "%3", tag: "t", badge: 0 }, "server");
    expect(quiet).toMatchObject({ aps: { "interruption-level": "passive", badge: 0 } });
    expect(quiet["aps"]).not.toHaveProperty("sound");
  });
});

const PARKED: Partial<PaneState> = {
  status: "error",
  parked: { reason: "weekly limit", until: null, continues: false },
};

test("a joint alert for parked agents says in every payload that they wait for a limit", () => {
  const parked = { ...about(PARKED), tag: PARKED_TAG, identities: ["one", "two"] };
  const body = "Agents wait for a limit to reset.";
  expect(apnsPayload(parked, "s")).toMatchObject({ aps: { alert: { body } } });
  for (const withNames of [true, false])
    expect(
      JSON.parse(webPayload(parked, { origin: "https://x", withNames })).notification,
    ).toMatchObject({
      ...{ body, navigate: "https://x/#/queue" },
    });
});

test("the alert for a parked agent says that it waits for a limit", () => {
  const parked = about({ ...PARKED, name: "api" });
  const body = "An agent waits for a limit to reset.";
  expect(apnsPayload(parked, "s")).toMatchObject({ aps: { alert: { body } } });
  const webBody = (withNames: boolean) =>
    JSON.parse(webPayload(parked, { origin: "https://x", withNames })).notification.body;
  expect([webBody(false), webBody(true)]).toEqual([body, "api waits for a limit to reset."]);
});

test("an alert that may name a pane names its remote machine too, other alerts do not", async () => {
  const far = about({ id: "%1000003", name: "train", host: "gpu-1" });
  const bodyOf = (message: BadgedMessage, withNames: boolean) =>
    JSON.parse(webPayload(message, { origin: "https://x", withNames })).notification.body;
  expect(bodyOf(far, true)).toBe("train on gpu-1 needs your input.");
  expect(bodyOf(about({ name: "api" }), true)).toBe("api needs your input.");
  // A program names its pane, and must not turn round what the alert says of it.
  expect(bodyOf(about({ name: "a\u202epi\n" }), true)).toBe("a pi needs your input.");
  expect(bodyOf(far, false)).toBe("A pane needs your input.");
  expect(JSON.stringify(apnsPayload(far, "server"))).not.toContain("gpu-1");
});

test("an ntfy message has generic words, priority, tags, a click address and the topic's token", async () => {
  const service = new PushStandIn();
  const url = `${service.origin}/topic`;
  const topic = { url, token: "tk_1", pageOrigin: "https://panes.example" };
  expect(await sendToTopic(topic, about())).toMatchObject({ is: "accepted" });
  const [request] = service.received;
  expect(request?.path).toBe("/topic");
  expect(request?.body.toString()).toBe("A pane needs your input.");
  expect(Object.fromEntries(request?.headers ?? [])).toMatchObject({
    title: "panewatch",
    priority: "high",
    tags: "raising_hand",
    click: "https://panes.example/#/pane/%253/chat",
    authorization: "Bearer tk_1",
  });
  expect(request?.headers.has("actions")).toBe(false);
  service.replies.push(() => new Response("", { status: 404 }));
  expect(await sendToTopic(topic, about())).toMatchObject({ is: "refused" });
  await service.stop();
});

test("a webhook gets every alert as a signed line of JSON, without the prompt or screen of the pane", async () => {
  const service = new PushStandIn();
  const url = `${service.origin}/hook`;
  const webhook = { url, secret: "key", instanceId: "an-id", clock: { now: () => 12.5 } };
  expect(await callWebhook(webhook, about())).toMatchObject({ is: "accepted" });
  await callWebhook(webhook, { kind: "answered", paneId: "%3", tag: "t", badge: 0 });
  await callWebhook(webhook, about({ host: "gpu-1" }));
  const [asked, answered, far] = service.received;
  expect(JSON.parse(far?.body.toString() ?? "")).toMatchObject({ pane: { host: "gpu-1" } });
  const body = asked?.body.toString() ?? "";
  expect(body.endsWith("}\n")).toBe(true);
  expect(JSON.parse(body)).toEqual({
    at: 12.5,
    server: "an-id",
    event: "needs_input",
    tag: expect.any(String),
    waiting: expect.any(Number),
    text: "A pane needs your input.",
    pane: { id: "%3", name: expect.any(String) },
  });
  const hmac = createHmac("sha256", "key").update(body).digest("hex");
  expect(asked?.headers.get(SIGNATURE_HEADER)).toBe(`sha256=${hmac}`);
  expect(JSON.parse(answered?.body.toString() ?? "")).toMatchObject({
    event: "answered",
    pane: { id: "%3" },
  });
  service.replies.push(() => new Response("", { status: 410 }));
  expect(await callWebhook(webhook, about())).toMatchObject({ is: "refused" });
  service.replies.push(() => new Response("", { status: 503 }));
  expect(await callWebhook(webhook, about())).toMatchObject({ is: "later" });
  await service.stop();
});

test("the native alert for a finished pane has a category of its own", () => {
  const payload = apnsPayload(about({ status: "idle", finished_at: 1 }), "server");
  expect(payload).toMatchObject({
    aps: { category: "panewatch.finished", "interruption-level": "active" },
    panewatch: { id: "%3" },
  });
});

const quota = (remaining_percent: number) => {
  const { element } = UsageQuota.shape.metrics;
  const metrics = [null, remaining_percent].map((remaining, index) =>
    fixture(element, { label: `window ${index}`, remaining_percent: remaining }),
  );
  return [fixture(UsageQuota, { metrics })];
};
test("a quota that falls below the threshold alerts once an hour, and not when it is first seen", () => {
  const watch = new QuotaWatch();
  const see = (remaining: number, at: number) =>
    watch.observe(quota(remaining), { threshold: 20, at });
  expect(see(10, 0)).toBe(false);
  expect(see(30, 10)).toBe(false);
  expect(see(20, 15)).toBe(false);
  expect(see(19, 20)).toBe(true);
  expect(see(18, 30)).toBe(false);
  expect(see(25, 40)).toBe(false);
  expect(see(19, 50)).toBe(false);
  expect(see(25, 3600)).toBe(false);
  expect(see(19, 3620)).toBe(true);
});

test("the contact is the configured one, else the public https address, else the page's origin", () => {
  const publicUrls = ["http://a.example", "https://b.example/"];
  expect(contactOf({ contact: "mailto:a@b.c", publicUrls }, "https://c.example")).toBe(
    "mailto:a@b.c",
  );
  expect(contactOf({ contact: "", publicUrls }, "https://c.example")).toBe("https://b.example");
  expect(contactOf({ contact: "", publicUrls: [] }, "https://c.example")).toBe("https://c.example");
  expect(contactOf({ contact: "", publicUrls: [] }, "http://localhost:8787")).toBeNull();
  expect(contactOf({ contact: "", publicUrls: [] }, "https://mac.local")).toBeNull();
});

const NO_CONTACTS = ["mailto:me@localhost", "mailto:me@mac.local", "https://localhost/"];
test.each([
  {
    ...{ name: "contact", faultOf: contactFault },
    valid: ["mailto:a@example.org", "https://example.org/contact"],
    invalid: [...NO_CONTACTS, "http://example.org", "me@example.org"],
  },
  {
    ...{ name: "origin of a push service", faultOf: serviceOriginFault },
    valid: ["https://relay.example:8443", "http://127.0.0.1:9000"],
    invalid: ["http://relay.example", "https://relay.example/path"],
  },
  {
    ...{ name: "host of Web Push", faultOf: hostPortFault },
    valid: ["push.example", "127.0.0.1:9000", "Push.Example:443"],
    invalid: ["https://push.example", "push.example/path"],
  },
  {
    ...{ name: "topic of ntfy", faultOf: topicFault },
    valid: ["https://ntfy.sh/topic"],
    invalid: ["https://ntfy.sh/", "topic"],
  },
])(
  "a valid form of the $name has no fault, any other form has one",
  ({ faultOf, valid, invalid }) => {
    expect(valid.filter((address) => faultOf(address) !== null)).toEqual([]);
    expect(invalid.filter((address) => faultOf(address) === null)).toEqual([]);
  },
);

test("a topic over http that others can read gives a warning", () => {
  expect(topicWarning("http://ntfy.example/topic")).toContain("push.ntfy_token");
  for (const fine of ["", "https://ntfy.example/topic", "http://127.0.0.1:2586/topic"])
    expect(topicWarning(fine)).toBe("");
});
