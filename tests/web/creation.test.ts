import { keyOf } from "../../web/model/stored.ts";
import { MemoryStorage } from "../support/memory-storage.ts";
import { expect, jest, test } from "bun:test";
import {
  INITIAL_FORM,
  crumbsOf,
  isInside,
  nameProblem,
  defaultParents,
  requestFor,
  sessionNames,
} from "../../web/model/creation.ts";
import { Creation } from "../../web/state/server/creation.ts";
import { directoryListing } from "../support/fixture-replies.ts";
import { apiOf, elapse, serverOf, type Answer } from "../support/page-server.ts";
import { pane } from "../support/pane.ts";

const wanted = { ...INITIAL_FORM, runtime: "shell" as const, path: "/home/dev/code/web" };
const SHELL = { type: "session", cwd: wanted.path, runtime: "shell", name: null };
const PART = { cwd: wanted.path, runtime: "shell" };
const AGENT = { ...wanted, runtime: "agent_a" as const };
const told = " Count the apples\n";
const HALF = { split: "side_by_side", size_percent: 50 };

test.each<[string, typeof INITIAL_FORM, object | null]>([
  ["a session has its type, folder, runtime and name", wanted, SHELL],
  [
    "a window also has its session",
    { ...wanted, type: "window", session: "api", name: "web-2" },
    { type: "window", ...PART, parent_session: "api", name: "web-2" },
  ],
  [
    "a pane leaves out its name",
    { ...wanted, type: "pane", paneId: "%14", name: "left over !" },
    { type: "pane", ...PART, parent_pane_id: "%14", ...HALF },
  ],
  [
    "a session on another machine names the machine",
    { ...wanted, host: "gpu-1" },
    { ...SHELL, host: "gpu-1" },
  ],
  [
    "an agent has its first message, trimmed",
    { ...AGENT, message: told },
    { ...SHELL, runtime: "agent_a", first_message: "Count the apples" },
  ],
  [
    "an agent with a blank message leaves it out",
    { ...AGENT, message: " " },
    { ...SHELL, runtime: "agent_a" },
  ],
  ["a shell leaves out the message", { ...wanted, message: told }, SHELL],
  ["a session without a folder is not made", INITIAL_FORM, null],
  ["a session with an invalid name is not made", { ...wanted, name: "a b" }, null],
  ["a window without a session is not made", { ...wanted, type: "window" }, null],
  ["a pane without a neighbour is not made", { ...wanted, type: "pane" }, null],
])("the request for %s", (_, choice, request) => {
  expect<object | null>(requestFor(choice)).toEqual(request);
});

test("a name has letters, digits, _ and -, and at most 64 characters", () => {
  const names = ["a.b", "a".repeat(65), "a".repeat(64)];
  const problems = ["Only letters, digits, _ and -.", "At most 64 characters.", null];
  expect(names.map(nameProblem)).toEqual(problems);
});

test("sessions and panes offered as a place are those of the chosen machine", () => {
  const on = (id: string, host: string | null, label: string) =>
    pane({ id, host, hierarchy: [{ kind: "session", id: label, label, position: null }] });
  const far = [on("%1000001", "gpu-1", "ml"), on("%1000002", "gpu-1", "eval")];
  const panes = [on("%1", null, "api"), ...far];
  expect(sessionNames(panes, null)).toEqual(["api"]);
  expect(sessionNames(panes, "gpu-1")).toEqual(["ml", "eval"]);
  const first = { host: "gpu-1", paneId: "%1000001", session: "ml" };
  expect(defaultParents(panes, "gpu-1", "%1")).toEqual(first);
  const none = { host: "build", paneId: null, session: null };
  expect(defaultParents(panes, "build", null)).toEqual(none);
});

test("the crumbs of a folder begin at its root, and a folder with a longer name beside the root is outside", () => {
  expect(crumbsOf(directoryListing("/home/dev/code/web"))).toEqual([
    { name: "code", path: "/home/dev/code" },
    { name: "web", path: "/home/dev/code/web" },
  ]);
  const roots = [{ label: "code", path: "/home/dev/code" }];
  const paths = ["/home/dev/code", "/home/dev/code/web", "/home/dev/codex"];
  expect(paths.map((path) => isInside(path, { roots }))).toEqual([true, true, false]);
});

test("a listing that arrives late does not replace that of a folder opened after it", async () => {
  const asked = new Map<string, (answer: Answer) => void>();
  const api = apiOf(
    ({ path }) =>
      new Promise((answer) => {
        asked.set(new URL(path, "http://test").searchParams.get("path") ?? "", answer);
      }),
  );
  const creation = new Creation(serverOf({ api }));
  const listing = (path: string) => ({ body: { path, entries: [] } });
  const first = creation.go("/srv/slow");
  const second = creation.go("/srv/quick");
  asked.get("/srv/quick")?.(listing("/srv/quick"));
  await second;
  asked.get("/srv/slow")?.(listing("/srv/slow"));
  await first;
  expect(creation.listing.value.value?.path).toBe("/srv/quick");
  expect(creation.form.value.path).toBe("/srv/quick");
});

test("a creation whose reply is lost, or whose message could not be stored, may have happened", async () => {
  let reply: Answer = "lost";
  const creation = new Creation(serverOf({ api: apiOf(() => reply) }));
  const outcomeOf = async (answer: Answer) => {
    reply = answer;
    creation.set(wanted);
    expect(await creation.create()).toBeNull();
    return creation.outcome.value;
  };
  expect(await outcomeOf("lost")).toEqual({ step: "uncertain" });
  // The pane is there, and its first message could not be written down.
  const full = { status: 507, body: { detail: "the disk is full" } };
  expect(await outcomeOf(full)).toEqual({ step: "uncertain" });
  const reason = "the name is in use";
  const inUse = { status: 409, body: { detail: reason } };
  expect(await outcomeOf(inUse)).toEqual({ step: "refused", reason });
});

test("a message that is edited while the creation runs stays in the form", async () => {
  const reply = Promise.withResolvers<Answer>();
  const creation = new Creation(serverOf({ api: apiOf(() => reply.promise) }));
  creation.set({ ...AGENT, message: "Count the apples" });
  const made = creation.create();
  creation.set({ message: "Count the pears" });
  reply.resolve({ status: 201, body: { pane_id: "%1", target: "web:1.1" } });
  await made;
  expect(creation.form.value.message).toBe("Count the pears");
});

test("the fate of a first message is asked for at growing intervals while nobody answers", async () => {
  jest.useFakeTimers();
  try {
    let asked = 0;
    const call = async () => {
      asked += 1;
      return { ok: false, failure: { kind: "lost" } };
    };
    const memory = new MemoryStorage();
    const creation = new Creation(serverOf({ api: { call }, memory }));
    void creation.reportFirstMessage("%1", "begin");
    await elapse(60_000, 1000);
    expect(asked).toBeGreaterThan(8);
    await elapse(240_000, 1000);
    const before = asked;
    await elapse(300_000, 1000);
    expect(asked - before).toBeLessThanOrEqual(10);
    expect(memory.getItem(keyOf("first-messages"))).toBe(JSON.stringify({ "%1": "begin" }));
  } finally {
    jest.useRealTimers();
  }
});

test("the fate of a first message is reported by only one of two tabs", async () => {
  const memory = new MemoryStorage();
  const alerts: string[] = [];
  const fates: (() => void)[] = [];
  const tab = () => {
    const api = apiOf(async () => {
      await new Promise<void>((tell) => fates.push(tell));
      return { body: { state: "not_sent", reason: "it asks" } };
    });
    const server = serverOf({ api, memory });
    server.panes.take({ panes: [pane({ id: "%1" })], styles: new Map(), cards: [] });
    Object.assign(server.browser, {
      messages: { alert: (text: string) => alerts.push(text) },
    });
    return { creation: new Creation(server), drafts: server.drafts };
  };
  const [one, other] = [tab(), tab()];
  const told = one.creation.reportFirstMessage("%1", "begin");
  const toldLater = other.creation.reportFirstMessage("%1", "begin");
  fates[0]?.();
  await told;
  expect(alerts).toEqual([
    "The first message was not sent: it asks. It stands in the pane’s field.",
  ]);
  // The message is sent from the draft before the other tab has asked again.
  one.drafts.sent(pane({ id: "%1" }), { text: "begin" });
  fates[1]?.();
  await toldLater;
  expect(alerts.length).toBe(1);
  expect(other.drafts.of(pane({ id: "%1" })).value.text).toBe("");
});

test("the last choice is restored, without members of another type", () => {
  const memory = new MemoryStorage();
  const kept = { host: "gpu-1", runtime: "agent_b", path: "/srv", split: 7, name: "of the moment" };
  memory.setItem(keyOf("creation"), JSON.stringify(kept));
  const { form: again } = new Creation(serverOf({ memory }));
  expect(again.value).toEqual({
    ...{ ...INITIAL_FORM, host: "gpu-1", runtime: "agent_b", path: "/srv" },
  });
});
