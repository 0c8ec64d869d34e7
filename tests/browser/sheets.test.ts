import { expect, test } from "bun:test";
import type { Page, Request } from "playwright-core";
import { HostStepName } from "../../src/protocol/hosts.ts";
import { becomes } from "../support/becomes.ts";
import { calm, tapCalmly, taps } from "../support/calm.ts";
import { watchCopied } from "../support/copied.ts";
import { onThreeMachines } from "../support/fixture-hosts.ts";
import { openFixture } from "../support/fixture-page.ts";
import { withRecord } from "../support/fixture-record.ts";
import { caseDraft, creationState } from "../support/fixture-replies.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it, sampled } from "../support/thorough.ts";
import { tellsInPassing } from "../support/told.ts";
import { ALWAYS_ALLOWED, withAlwaysAllowed } from "./agent-scenes.ts";
import { paneHash, sheet as shown } from "./scene.ts";

const lab = PageLab.ofFile();
let server: FixtureServer;
let page: Page;

async function open(prepare: (server: FixtureServer) => void = () => {}): Promise<void> {
  ({ page, server } = await openFixture(lab, { prepare }));
}
async function openSheet(
  name: "New" | "Broadcast",
  prepare?: (server: FixtureServer) => void,
): Promise<void> {
  await open(prepare);
  await page.keyboard.press(name === "New" ? "c" : "b");
  await page.getByRole("dialog", { name }).waitFor();
}

const created = () => server.asked("/api/mux/create").map(({ body }) => body);

test("New: a session with its folder, runtime and a name that is checked as it is typed", async () => {
  await openSheet("New");
  await taps(page, "web", "packages");
  await page.getByText("No folders in here.").waitFor();
  await page.getByRole("radio", { name: "Claude Code" }).tap();
  // It is not installed there.
  expect(await page.getByRole("radio", { name: /Grok/ }).count()).toBe(0);
  const name = page.getByRole("textbox", { name: "Name" });
  await name.fill("two words");
  await page.getByText("Only letters, digits, _ and -.").waitFor();
  const create = page.getByRole("button", { name: "Create session" });
  await becomes(() => create.isDisabled(), true);
  await name.fill("packages-2");
  // A refusal is shown in the sheet, and the form is kept.
  server.refuse("/api/mux/create", "the name is in use");
  await create.tap();
  await page.getByText("Not created: the name is in use").waitFor();
  expect(await name.inputValue()).toBe("packages-2");
  server.takes();
  await create.tap();
  await page.waitForFunction(() => location.hash === "#/pane/%2514");
  expect(created().slice(1)).toEqual([
    {
      type: "session",
      cwd: "/home/dev/code/web/packages",
      runtime: "agent_a",
      name: "packages-2",
    },
  ]);
});

it("New: a pane with its split and size", async () => {
  await openSheet("New");
  await page.getByRole("radio", { name: "Pane" }).tap();
  await page.getByRole("combobox", { name: "Pane to split" }).selectOption("%22");
  await page.getByRole("radio", { name: "Stacked" }).tap();
  await page.getByRole("radio", { name: "Shell" }).tap();
  await page.getByRole("slider", { name: "New pane gets" }).fill("40");
  await page.getByRole("button", { name: "docs" }).last().tap();
  await page.locator("[aria-current=location]", { hasText: "docs" }).waitFor();
  await page.getByRole("button", { name: "Create pane" }).tap();
  await page.waitForFunction(() => location.hash === "#/pane/%2514");
  expect(created()).toEqual([
    {
      type: "pane",
      cwd: "/home/dev/code/docs",
      runtime: "shell",
      parent_pane_id: "%22",
      split: "stacked",
      size_percent: 40,
    },
  ]);
});

it("New: of a folder with more than 500 it says that there are more; switched off it shows the reason, and without the capability it is absent", async () => {
  const recent = [{ name: "many", path: "/home/dev/code/many", root_label: "code" }];
  await openSheet("New", ({ replies }) => {
    replies["/api/mux/creation"] = () => creationState({ recent_directories: recent });
  });
  await page.getByRole("button", { name: "many" }).tap();
  await page.getByText("Only the first 500 are shown.").waitFor();
  await becomes(() => page.locator(".folders .item").count(), 500);
  const reason = "Creation is disabled in server configuration.";
  const off = { enabled: false, reason, roots: [], recent_directories: [] };
  server.replies["/api/mux/creation"] = () => creationState(off);
  await page.reload();
  await page.getByText(reason).waitFor();
  await page.getByRole("button", { name: "Close" }).last().tap();
  delete server.config._info.capabilities.mux_create_v1;
  await page.goto(`${server.url}?without`);
  await page.getByText("Live", { exact: true }).waitFor();
  await page.getByRole("link", { name: "All" }).tap();
  await page.getByRole("button", { name: "Broadcast" }).waitFor();
  expect(await page.getByRole("button", { name: /^New/ }).count()).toBe(0);
});

test("a pane created here is closed from its menu with a second tap, no other pane is", async () => {
  await open();
  const made = server.panes.find(({ id }) => id === "%24");
  if (made === undefined) throw new Error("no pane");
  server.change("%24", { capabilities: { ...made.capabilities, delete: true } });
  server.hook = ({ path }) => {
    if (path !== "/api/mux/close") return undefined;
    server.panes = server.panes.filter(({ id }) => id !== "%24");
    return Response.json({ ok: true });
  };
  const closed = () => server.asked("/api/mux/close");
  await page.goto(`${server.url}#/pane/%2516`);
  await page.getByRole("button", { name: "More", exact: true }).tap();
  await page.getByRole("button", { name: "Rename" }).waitFor();
  expect(await page.getByRole("button", { name: "Close pane" }).count()).toBe(0);
  await page.goBack();
  await page.goto(`${server.url}#/pane/%2524`);
  await taps(page, "More", "Close pane");
  const dialog = page.getByRole("dialog", { name: "Close pane" });
  await dialog.getByText("Codex in “css-audit” ends with it.").waitFor();
  expect(closed()).toEqual([]);
  await dialog.getByRole("button", { name: "Close pane" }).tap();
  await becomes(() => closed().map(({ body }) => body), [{ id: "%24" }]);
  await dialog.waitFor({ state: "detached" });
});

/** Creates an agent with a first message; `outcome` is the server's reply about it. */
async function createAgent(words: string, outcome: () => Response, toast = ""): Promise<void> {
  await openSheet("New");
  server.hook = ({ path }) => {
    if (path === "/api/mux/create")
      return Response.json({ pane_id: "%24", target: "web:24.1" }, { status: 201 });
    return path === "/api/mux/message" ? outcome() : undefined;
  };
  const field = page.getByRole("textbox", { name: "First message" });
  const runtimes = page.getByRole("radiogroup", { name: "Run" });
  // An agent is the default runtime.
  await field.waitFor();
  await runtimes.getByRole("radio", { name: "Shell" }).tap();
  await field.waitFor({ state: "detached" });
  await runtimes.getByRole("radio", { name: "Claude Code" }).tap();
  await field.fill(words);
  const create = () => page.getByRole("button", { name: "Create session" }).tap();
  await (toast === "" ? create() : tellsInPassing(page, toast, create));
}
const WAITING = { state: "waiting", reason: null };
const composer = () => page.locator("[data-composer]");

test("a new agent gets its first message; one that was not sent stands in the composer", async () => {
  const words = "Count the apples\nthen the pears";
  const outcomes = [WAITING, { state: "not_sent", reason: "it asks something first" }];
  const toast = "The first message was not sent: it asks something first.";
  await createAgent(words, () => Response.json(outcomes.shift()), toast);
  expect(created()).toMatchObject([{ runtime: "agent_a", first_message: words }]);
  await becomes(() => composer().inputValue(), words);
});

const LATE_REPLIES: readonly (readonly [
  what: string,
  asks: string,
  reply: () => object,
  prepare: (server: FixtureServer) => void,
  press: () => Promise<void>,
])[] = [
  [
    "was created",
    "/api/mux/create",
    () => ({ pane_id: "%14", target: "web:1.1" }),
    () => {},
    async () => {
      await page.keyboard.press("c");
      await button("Create session").tap();
    },
  ],
  [
    "a session was told of its pane",
    "/binding",
    () => server.agents.find("query-planner"),
    (server) => {
      server.switchWorkspace(true);
      server.agents.makeAmbiguous("query-planner", ["%14", "%16"]);
    },
    async () => {
      await page.goto(`${server.url}#/agent/${server.agents.find("query-planner").id}`);
      await button("Choose the pane").tap();
      await page.getByRole("radio", { name: "query-planner" }).tap();
      await button("It is query-planner").tap();
    },
  ],
  [
    "was read is deleted",
    "/history",
    () => ({ ok: true }),
    (server) => server.switchWorkspace(true),
    async () => {
      await page.goto(`${server.url}#/agent/${server.agents.find("list-endpoints").id}`);
      await taps(page, "More", "Delete what was read", "Delete what was read");
    },
  ],
  [
    "device was removed",
    "/ipad",
    () => ({ ok: true, removed: [], let_in: [], may_know_token: false }),
    withRecord,
    async () => {
      await shown("settings-device", "ipad")(page);
      await button("Remove").tap();
      await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).tap();
    },
  ],
  [
    "machine was added",
    "POST /api/hosts",
    () => ({ ok: true }),
    (server) => {
      onThreeMachines(server, null);
      const steps = HostStepName.options.map((step) => ({ step, ok: true, detail: null, ms: 3 }));
      server.replies["/api/hosts/check"] = () => ({ steps });
    },
    async () => {
      await shown("settings-add-host")(page);
      await page.getByLabel("Name or address").fill("gpu-2");
      await taps(page, "Check", "Add");
    },
  ],
];

const button = (name: string) => page.getByRole("button", { name, exact: true });

test.each(sampled(LATE_REPLIES, 3))(
  "a late reply that %s does not navigate",
  async (...[, asks, reply, prepare, press]) => {
    await open(prepare);
    const isAsked = (request: Request) =>
      `${request.method()} ${new URL(request.url()).pathname}`.endsWith(asks);
    const late = server.hold(asks);
    const asked = page.waitForRequest(isAsked);
    await press();
    await asked;
    await page.goto(server.url + paneHash("%12"));
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("b");
    const broadcast = page.getByRole("dialog", { name: "Broadcast" });
    await broadcast.waitFor();
    const replied = page.waitForResponse((response) => isAsked(response.request()));
    late.reply(reply());
    await replied;
    await calm(page);
    expect(await broadcast.count()).toBe(1);
    expect(await page.evaluate(() => location.hash)).toBe(paneHash("%12"));
  },
);

test("a first message that was not sent is quoted where the composer has a text", async () => {
  let outcome: object = WAITING;
  await createAgent("Count the apples", () => Response.json(outcome));
  await composer().fill("Mine");
  const toast = "not sent: it asks. Its words: Count the apples";
  await tellsInPassing(page, toast, async () => {
    outcome = { state: "not_sent", reason: "it asks" };
  });
  expect(await composer().inputValue()).toBe("Mine");
});

test("the outcome of a first message is told by the next page alone", async () => {
  let outcome = Response.json(WAITING);
  let looks = 0;
  const look = () => {
    looks++;
    return outcome.clone();
  };
  const toast = "The first message is typed in when the agent is ready.";
  await createAgent("Count the apples", look, toast);
  await becomes(() => looks > 0, true);
  await composer().waitFor();
  // While no page is open the server restarts, and does not know the outcome then.
  const url = page.url();
  await page.goto("about:blank");
  outcome = Response.json({ detail: "this pane was given no first message" }, { status: 404 });
  const unknown = "the first message may have arrived before.";
  await tellsInPassing(page, unknown, () => page.goto(url));
  await becomes(() => composer().inputValue(), "Count the apples");
  looks = 0;
  await page.reload();
  await composer().waitFor();
  await page.waitForLoadState("networkidle");
  expect(looks).toBe(0);
});

const field = () => page.getByRole("textbox", { name: "Text for every chosen pane" });
const sent = () =>
  server.actions.map(({ path, body }) => ({ path, ids: body["ids"], text: body["text"] }));

test("Broadcast leaves out waiting, offline and stale panes with the reason, lists every failure, and keeps its text", async () => {
  await openSheet("Broadcast");
  const leftOut = page.getByRole("region", { name: "Left out" });
  for (const reason of [
    "Waits for an answer; text would answer it",
    "Offline",
    "Cannot be read now",
  ])
    await leftOut.getByRole("listitem").filter({ hasText: reason }).first().waitFor();
  expect(await leftOut.getByRole("checkbox").count()).toBe(0);
  // A pane that begins to wait is left out of the count and of the request.
  await field().fill("Stop after this step.");
  await page.getByRole("button", { name: "Working agents 5" }).tap();
  await page.getByRole("checkbox", { name: /ios-build/ }).tap();
  server.change("%35", { status: "needs_input", question: "Go on?" });
  await page.getByRole("button", { name: "Send to 3 panes" }).tap();
  await page.getByText("Sent to 3 panes.").waitFor();
  expect(sent()).toEqual([
    { path: "/api/broadcast", ids: ["%14", "%22", "%23"], text: "Stop after this step." },
  ]);
  expect(server.actions[0]?.body["skip_waiting"]).toBe(true);
  await becomes(() => field().inputValue(), "");

  // Every failure is listed, and only the failed panes stay chosen.
  server.change("%35", { status: "working", question: null });
  await page.getByRole("button", { name: "Working agents 5" }).waitFor();
  const errors = ["%22: skipped, it waits at a prompt", "%31: pane no longer exists"];
  server.replies["/api/broadcast"] = () => ({ ok: true, sent: 3, errors });
  await field().fill("Stop.");
  // The row that came back has moved the others.
  await tapCalmly(page.getByRole("button", { name: "Working agents 5" }));
  await taps(page, "Send to 5 panes");
  const alert = page.getByRole("alert");
  await alert.getByText("Sent to 3 of 5 panes.").waitFor();
  const failures = await alert.getByRole("listitem").allInnerTexts();
  expect(failures.map((text) => text.replace(/\s+/g, " "))).toEqual([
    "integration-tests skipped, it waits at a prompt",
    "ios-build pane no longer exists",
  ]);
  expect(await field().inputValue()).toBe("Stop.");
  // A request without a reply is not repeated, and the text is kept.
  server.lose("/api/broadcast");
  await page.getByRole("button", { name: "Send to 2 panes" }).tap();
  await page.getByText("Some panes may have it").waitFor();
  expect(sent()).toHaveLength(3);
  expect(await field().inputValue()).toBe("Stop.");
});

const sheet = () => page.getByRole("dialog", { name: "This is wrong" });
const save = () => sheet().getByRole("button", { name: "Save", exact: true });
const words = () => sheet().getByRole("textbox", { name: "Blank out" });
const saved = () => sheet().getByRole("textbox", { name: "What will be saved" }).inputValue();

async function openWhy(prepare?: (server: FixtureServer) => void): Promise<void> {
  await open(prepare);
  await page.goto(server.url + paneHash("%12"));
  await taps(page, "More", "Why this status?");
}
async function openWrong(): Promise<void> {
  await openWhy();
  await page.getByRole("button", { name: "This is wrong" }).tap();
  await sheet().getByText("What will be saved", { exact: true }).waitFor();
}

test("a reported screen blanks out words everywhere, and saves what was shown", async () => {
  await openWrong();
  expect(await saved()).toStartWith("Title: ✳ Rotate session keys\nCommand: claude\n");
  await words().fill("acme-billing\n");
  await becomes(async () => (await saved()).split("x".repeat(12)).length - 1, 4);
  expect(await saved()).not.toContain("acme");
  await page.getByRole("combobox", { name: "What it really was" }).selectOption("needs_input");
  await page.getByRole("textbox", { name: "What was read wrong" }).fill("It waits in a box.");
  await save().tap();
  await page.getByText(/^Saved as agent_a-5f4f1d1f, /).waitFor();
  expect(server.asked("/api/cases").map(({ body }) => body)).toEqual([{ id: "%12" }]);
  expect(server.asked("/api/cases/save").map(({ body }) => body)).toEqual([
    {
      draft: caseDraft().draft,
      blank: ["acme-billing"],
      status: "needs_input",
      note: "It waits in a box.",
    },
  ]);
  expect(server.actions).toEqual([]);
  await page.getByRole("button", { name: "Back to why" }).tap();
  await page.getByRole("dialog", { name: "Why this status?" }).waitFor();
});

it("a reported screen that has expired is taken again, and the words stay", async () => {
  await openWrong();
  await words().fill("claude");
  server.refuse("/api/cases/save", { reason: "draft_gone" });
  await save().tap();
  await page.getByText(/holds this screen no more/).waitFor();
  server.takes();
  server.replies["/api/cases"] = () => ({ ...caseDraft(), lines: ["claude asks again"] });
  await page.getByRole("button", { name: "Take the screen again" }).tap();
  await becomes(
    () => saved(),
    [
      "Title: ✳ Rotate session keys",
      "Command: xxxxxx",
      "Process: xxxxxx --model opus /home/dev/acme-billing",
      "",
      "xxxxxx asks again",
    ].join("\n"),
  );
  await save().tap();
  await page.getByText(/^Saved as /).waitFor();
});

it("without the capability a screen cannot be reported", async () => {
  await openWhy(({ config }) => {
    delete config._info.capabilities.screen_cases_v1;
  });
  await page.getByText("by agent_a.permission.footer").waitFor();
  expect(await page.getByRole("button", { name: "This is wrong" }).count()).toBe(0);
});

async function openAllowed(access: "all" | "read") {
  await open((fixture) => {
    withAlwaysAllowed(fixture);
    const { _info, ...live } = fixture.config;
    fixture.replies["/api/config"] = () => ({ ...live, _info: { ..._info, access } });
  });
  const hint = page.getByRole("listitem").filter({ hasText: "never refused" });
  await hint.getByText(ALWAYS_ALLOWED.command, { exact: true }).waitFor();
  return hint;
}

test("a question that was always allowed shows its exact setting, copies it, and is dismissed for good", async () => {
  const hint = await openAllowed("all");
  await hint.getByText(/^Allowed 12 times from here since .+, never refused\.$/).waitFor();
  await hint.getByText(ALWAYS_ALLOWED.setting.file).waitFor();
  const copied = await watchCopied(page);
  const copy = hint.getByRole("button", { name: "Copy setting" });
  // The rows scrolled in take their height a frame later: a tap before would miss.
  await copy.scrollIntoViewIfNeeded();
  await tapCalmly(copy);
  await becomes(copied, `"${ALWAYS_ALLOWED.setting.rule}"`);
  await hint.getByRole("button", { name: "Not this one" }).tap();
  await becomes(() => hint.count(), 0);
  await page.reload();
  await page.getByRole("option").first().waitFor();
  await calm(page);
  expect(await hint.count()).toBe(0);
  expect(server.actions).toEqual([]);
});

it("a read-only page can copy the setting and dismiss nothing", async () => {
  const hint = await openAllowed("read");
  await hint.getByRole("button", { name: "Copy setting" }).waitFor();
  expect(await hint.getByRole("button").count()).toBe(1);
});
