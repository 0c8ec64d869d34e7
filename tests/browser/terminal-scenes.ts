import type { Page } from "playwright-core";
import { clickCalmly } from "../support/calm.ts";
import { enablePush, OWN_DEVICE } from "../support/fixture-push.ts";
import { changedFolder } from "../support/fixture-changes.ts";
import { away, canWatchHosts, onThreeMachines } from "../support/fixture-hosts.ts";
import { fixturePanes, NOW, option } from "../support/fixture-panes.ts";
import { withRecord } from "../support/fixture-record.ts";
import { phoneState } from "../support/fixture-replies.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { KeptMessages } from "../support/fixture-waiting.ts";
import { draftKey } from "../../web/model/drafts.ts";
import { hostilePanes } from "../support/hostile-panes.ts";
import { AGENTS, DOCKED, loseServer, NARROW, paneHash, scene, type Scene, sheet } from "./scene.ts";

const ID = "%12";

const option1 = (page: Page) =>
  page.locator(`[data-pane="${ID}"] [data-key="1"], [data-key="1"]`).first();

/** Waits until the prompt takes answers, then presses the first. */
async function answerFirst(page: Page): Promise<void> {
  await clickCalmly(option1(page));
}

const noPanes = (server: FixtureServer) => {
  server.panes = [];
  const { health } = server.config._info.capabilities.terminal_provider_v1;
  Object.assign(health, { listed_panes: 0, hidden_panes: 0 });
};

function onlyQuiet(server: FixtureServer): void {
  const isQuiet = (status: string) => status !== "needs_input" && status !== "error";
  server.panes = server.panes.filter(({ status }) => isQuiet(status));
}

/** A page of this protocol does not fit it. */
export function ofOtherProtocol(server: FixtureServer): void {
  Object.assign(server.config._info.compatibility, { protocol_version: 99 });
}

const withToken = (server: FixtureServer) => {
  server.token = "a-long-random-string";
};
const enableUsage = (server: FixtureServer) => {
  server.config = { ...server.config, usage_enabled: true };
};

/** The page comes again as one that is registered and may notify. */
export async function beDevice(page: Page): Promise<void> {
  await page.addInitScript((id) => {
    // Frames of the audit have no storage.
    if (!location.protocol.startsWith("http")) return;
    localStorage.setItem("panewatch.device", id);
    Object.defineProperty(Notification, "permission", { get: () => "granted" });
  }, OWN_DEVICE);
  await page.reload();
  await page.locator("main").first().waitFor();
}

const touch = { bubbles: true, isPrimary: true, pointerId: 5, pointerType: "touch", button: 0 };

/** A draft whose pane is gone. */
const leftDraft = ({ config }: FixtureServer) => ({
  [draftKey(config._info.server_instance_id, { id: "%4", target: "shop:4.1" })]: {
    text: "Then drop the old table.",
    name: "orders-archive",
    savedAt: NOW * 1000,
    choice: null,
    images: [],
    beside: [],
  },
});

/** In the turn in which it is drawn: on a busy machine the test hears of it long after. */
async function clickOnceDrawn(page: Page, selector: string): Promise<void> {
  await page.evaluate((selector) => {
    new MutationObserver((_, observer) => {
      const drawn = document.querySelector<HTMLElement>(selector);
      if (drawn === null) return;
      observer.disconnect();
      drawn.click();
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
  }, selector);
}

/** The last lines of a row in place. */
async function peek(page: Page): Promise<void> {
  const row = page.locator('[data-row="%14"]');
  await row.dispatchEvent("pointerdown", { ...touch, clientX: 150, clientY: 300 });
  await page.getByText("Last lines").waitFor();
  await row.dispatchEvent("pointerup", { ...touch, clientX: 150, clientY: 300 });
}

/** A text of several lines with an image, while the terminal went on below what is read. */
async function writeMeanwhile(page: Page, server: FixtureServer): Promise<void> {
  await page.locator("[data-composer]").fill("Keep the old index until\nthe new plan is measured.");
  await page.getByRole("button", { name: "Attach or insert" }).click();
  const image = { name: "plan.png", mimeType: "image/png", buffer: Buffer.from("not looked at") };
  await page.locator(".insert-menu input[multiple]").setInputFiles(image);
  await page.getByText("plan.png").waitFor();
  await page.locator("[data-terminal]").evaluate((area) => {
    area.scrollBy(0, -1e6);
  });
  await page.getByRole("button", { name: "To the end" }).waitFor();
  const lines = server.panes.find(({ id }) => id === "%14")?.lines ?? [];
  server.change("%14", { lines: [...lines, ...LOG.slice(0, 14)] });
}

/** A screen that was read wrong, with a path blanked out. */
async function markWrong(page: Page): Promise<void> {
  await sheet("explain", ID)(page);
  await page.getByRole("button", { name: "This is wrong" }).click();
  await page.getByRole("textbox", { name: "Blank out" }).fill("/home/dev/acme-billing\nclaude");
}

const LOG = Array.from(
  { length: 60 },
  (_, i) => `  ${i + 1}. explain analyze select, run ${i + 1}`,
);
const withLog = (server: FixtureServer) => server.change("%14", { lines: LOG });

/** Of the fleet, what fits beside a pane. */
const DESK: readonly string[] = ["%12", "%14", "%21", "%22", "%31", "%41"];

const failed = { step: "host_key", ok: false, detail: "Host key verification failed.", ms: 2 };

/** Opens the page for one more machine and looks at `gpu-2`. */
async function check(page: Page): Promise<void> {
  await sheet("settings-add-host")(page);
  await page.getByLabel("Name or address").fill("gpu-2");
  await page.getByRole("button", { name: "Check", exact: true }).click();
}

const CHANGES = `${paneHash(ID)}/changes`;
const FILE = `${CHANGES}/${encodeURIComponent("src/auth/session.ts")}`;

const remarks = (server: FixtureServer) => ({
  [draftKey(server.config._info.server_instance_id, server.find(ID))]: {
    text: "",
    savedAt: Date.now(),
    remarks: [
      {
        ...{ id: "one", top: "/home/dev/code/api", side: "new" },
        ...{ path: "src/auth/session.ts", line: 42, text: "  s.expires = now() + ttl(s.device);" },
        words: "ttl() may return 0 for unknown devices. Fall back to DAY here.",
      },
      {
        ...{ id: "two", top: "/home/dev/code/api", side: "new" },
        ...{ path: "src/auth/ttl.ts", line: 9, text: "type Device = string;" },
        words: "Name the classes after the table in docs/security.",
      },
    ],
  },
});

/** What watches panes and answers them. */
export const TERMINAL_SCENES: readonly Scene[] = [
  scene("queue", "#/queue", "text=session-rotation"),
  scene("queue-empty", "#/queue", "text=Nothing needs you", { prepare: onlyQuiet }),
  scene("queue-no-panes", "#/queue", "text=No tmux is running", { prepare: noPanes }),
  scene("queue-hostile", "#/queue", "text=بوابة-الدفع", {
    prepare: (server) => {
      server.panes = hostilePanes();
    },
  }),
  scene("queue-loading", "#/queue", ".skeleton", {
    prepare: (server) => void server.hold("/api/config"),
  }),
  // A browser without permission for the clipboard says so in the same place.
  scene("copied", "#/queue", ".toast", {
    sizes: ["phone", "desktop"],
    act: (page) => page.getByRole("button", { name: /^Copy/ }).first().click(),
  }),
  scene("answer-sent", "#/queue", "text=Yes, sent", { sizes: NARROW, act: answerFirst }),
  scene("answer-changed", "#/queue", "text=This prompt just changed", {
    sizes: NARROW,
    act: async (page, server) => {
      const change = {
        question: "Would you like to reset the database?",
        evidence: ["$ migrate reset"],
      };
      await clickOnceDrawn(page, `[data-pane="${ID}"] [data-key="y"]`);
      server.change(ID, { ...change, menu: [option("y", "Yes"), option("n", "No")] });
    },
  }),
  scene("answer-uncertain", "#/queue", "text=May have arrived", {
    sizes: NARROW,
    prepare: (server) => server.refuse("/api/select", { reason: "delivery_unknown" }),
    act: answerFirst,
  }),
  scene("all", "#/all", "text=docs-site"),
  scene("all-peek", "#/all", "text=Last lines", { sizes: NARROW, stored: leftDraft, act: peek }),
  scene("active", "#/active", "text=integration-tests"),
  scene("all-no-match", "#/all", "text=No match", {
    act: (page) => page.getByRole("searchbox").first().fill("nothing of the kind"),
  }),
  scene("sort", "#/all", "role=dialog", { act: sheet("sort") }),
  scene("stats", "#/stats", "text=Firefox on Linux", { prepare: enableUsage }),
  scene("pane", paneHash(ID), "[data-terminal]"),
  scene("pane-sent", paneHash(ID), "text=/Yes, confirmed/", {
    sizes: DOCKED,
    act: async (page, server) => {
      await answerFirst(page);
      await page
        .getByText(/, (sent|confirmed)/)
        .first()
        .waitFor();
      const works = { status: "working", question: null, menu: [], evidence: [] } as const;
      server.change(ID, { ...works, menu: [], evidence: [], updated: NOW });
    },
  }),
  scene("pane-reply", paneHash(ID), "text=Sent as your answer", {
    act: (page) => page.locator('[data-key="3"]').first().click(),
  }),
  scene("pane-compose", paneHash("%14"), "text=/14 new lines/", {
    sizes: DOCKED,
    prepare: withLog,
    act: writeMeanwhile,
  }),
  scene("pane-selecting", paneHash("%14"), "text=Paused while you select", {
    sizes: ["phone", "desktop"],
    prepare: withLog,
    act: (page) => page.getByText("52. explain").selectText(),
  }),
  scene("pane-insert", paneHash("%14"), "text=run the tests", {
    sizes: DOCKED,
    act: (page) => page.getByRole("button", { name: "Attach or insert" }).click(),
  }),
  scene("pane-menu", paneHash(ID), "role=dialog", { act: sheet("pane-menu", ID) }),
  scene("pane-find", paneHash(ID), "text=/1 of \\d+/", {
    act: async (page) => {
      await sheet("pane-menu", ID)(page);
      await page.getByRole("dialog").getByText("Find in output").click();
      await page.getByPlaceholder("Find").fill("session");
    },
  }),
  scene("pane-stale", paneHash("%52"), "text=cannot be read now", { sizes: DOCKED }),
  scene("pane-offline", paneHash("cfg:ops:smoke.1"), "text=Not running", { sizes: DOCKED }),
  scene("pane-gone", paneHash("%999"), "text=This pane is gone"),
  scene("pane-hostile", paneHash("%72"), "[data-terminal]", {
    prepare: (server) => {
      server.panes = [...hostilePanes(), ...fixturePanes()];
    },
  }),
  scene("settings", "#/queue", "role=dialog", { act: sheet("settings") }),
  scene("settings-server", "#/queue", "text=/^panewatch \\d/", {
    sizes: ["phone", "desktop"],
    prepare: enableUsage,
    act: async (page) => {
      await sheet("settings-server")(page);
      await page.getByText(/^panewatch \d/).scrollIntoViewIfNeeded();
    },
  }),
  ...["answering", "look", "terminal", "snippets", "keys", "panes"].map((page) => ({
    name: `settings-${page}`,
    hash: "#/queue",
    act: sheet(`settings-${page}`),
    shows: "role=dialog",
  })),
  scene("devices", "", "text=this device", {
    prepare: withRecord,
    act: sheet("settings-devices"),
  }),
  scene("device", "", "role=alertdialog", {
    prepare: withRecord,
    act: async (page) => {
      await sheet("settings-device", "tab")(page);
      await page.getByRole("button", { name: "Remove" }).click();
    },
  }),
  scene("let-in", "", "text=Show its code", {
    sizes: ["phone", "desktop"],
    prepare: withRecord,
    act: sheet("settings-let-in"),
  }),
  scene("record", "#/record", "text=4 refused sign-ins", {
    prepare: withRecord,
  }),
  scene("on-your-phone", "#/phone", "text=Works once", { prepare: noPanes }),
  scene("on-your-phone-blocked", "#/phone", "text=No phone can reach this address", {
    prepare: (server: FixtureServer) => {
      noPanes(server);
      server.replies["/api/phone"] = () => phoneState("reachable");
    },
  }),
  scene("paired", "#/paired", "text=on mina", {
    prepare: (server: FixtureServer) => enablePush(server, { devices: [] }),
  }),
  ...["phone", "quiet", "muted"].map((page) => ({
    name: `settings-${page}`,
    hash: "#/queue",
    prepare: enablePush,
    act: async (shown: Page) => {
      await beDevice(shown);
      await sheet(`settings-${page}`)(shown);
      await shown
        .getByText(/ready|Quiet hours|ml:2.1/)
        .first()
        .waitFor();
    },
    shows: "role=dialog",
  })),
  scene("mute", paneHash(ID), "role=dialog", {
    prepare: enablePush,
    act: async (page) => {
      await beDevice(page);
      await sheet("mute", ID)(page);
      await page.getByText("Until I change it").waitFor();
    },
  }),
  scene("rename", paneHash(ID), "role=dialog", { act: sheet("rename", ID) }),
  scene("broadcast", "#/all", "role=dialog", { act: sheet("broadcast") }),
  scene("create", "#/all", "[role=dialog] .folders", { act: sheet("create") }),
  scene("create-pane", "#/all", ".create-size", {
    sizes: ["phone", "tablet"],
    act: async (page) => {
      await sheet("create")(page);
      await page.getByRole("dialog").getByText("Pane", { exact: true }).click();
    },
  }),
  scene("palette", paneHash(ID), "role=dialog", { act: sheet("palette") }),
  scene("shortcuts", paneHash(ID), "role=dialog", { act: sheet("shortcuts") }),
  scene("shortcuts-queue", "#/queue", "text=Send what is chosen", {
    sizes: ["tablet", "desktop"],
    ...AGENTS,
    act: async (page) => {
      await page.locator(".card-page").first().waitFor();
      await sheet("shortcuts")(page);
    },
  }),
  scene("explain", paneHash(ID), "role=dialog", { act: sheet("explain", ID) }),
  scene("wrong", paneHash(ID), "text=What will be saved", { act: markWrong }),
  scene("sign-in", "", "text=Sign in to panewatch", { prepare: withToken }),
  scene("sign-in-error", "", "text=did not accept", {
    prepare: withToken,
    act: async (page) => {
      await page.getByRole("textbox", { name: "Token" }).fill("not-this-one");
      await page.getByRole("button", { name: "Sign in" }).click();
    },
  }),
  scene("incompatible", "", "text=do not fit together", {
    prepare: ofOtherProtocol,
  }),
  scene("killed", "#/queue", "text=Disconnected from another browser", {
    act: async (_page, server) => server.closeSockets(4001),
  }),
  scene("offline", "#/queue", "text=No connection to the server", {
    act: loseServer,
    isOffline: true,
  }),
  // Several machines: lists, cards, a pane, and their page of the settings.
  scene("hosts-queue", "#/queue", ".host-chip", { prepare: onThreeMachines }),
  scene("hosts-all", "#/all", ".host-note", { prepare: onThreeMachines }),
  scene("hosts-desk", "#/all", ".docked, .inspector .card", {
    prepare: (server) => {
      const isShown = (id: string) => DESK.includes(id);
      server.panes = server.panes.filter(({ id }) => isShown(id));
      onThreeMachines(server, away({}), "gpu-1");
    },
    act: (page) => page.locator('[data-row="%21"]').click(),
    sizes: ["desktop"],
  }),
  scene("hosts-pane-away", paneHash("%21"), ".notice", { prepare: onThreeMachines }),
  scene("hosts-card-stuck", "#/queue", '[data-pane="%21"] .notice', {
    prepare: (server) =>
      onThreeMachines(server, away({ reason: "unknown_host_key", retry_at: null })),
    act: (page) => page.locator('[data-pane="%21"]').scrollIntoViewIfNeeded(),
    sizes: NARROW,
  }),
  scene("hosts-create", paneHash("%31"), "[role=dialog] .folders", {
    prepare: (server) => onThreeMachines(server, away({}), "buildbox"),
    act: sheet("create"),
  }),
  scene("hosts-settings", "#/queue", "[role=dialog] .host-line", {
    prepare: onThreeMachines,
    act: sheet("settings-hosts"),
  }),
  scene("hosts-settings-open", "#/queue", ".host-more .actions", {
    prepare: (server) =>
      onThreeMachines(
        server,
        away({ reason: "unknown_host_key", detail: failed.detail, retry_at: null }),
      ),
    act: async (page) => {
      await sheet("settings-hosts")(page);
      await page.getByRole("button", { name: /^gpu-1/ }).click();
      await page.getByRole("button", { name: "Remove" }).click();
    },
  }),
  scene("hosts-none", "#/queue", "[role=dialog] .button.block", {
    prepare: canWatchHosts,
    act: sheet("settings-hosts"),
  }),
  scene("hosts-add-failed", "#/queue", ".fix", {
    prepare: (server) => {
      const done = ["resolve", "connect"].map((step) => ({ step, ok: true, detail: null, ms: 3 }));
      canWatchHosts(server);
      server.replies["/api/hosts/check"] = () => ({ steps: [...done, failed] });
    },
    act: check,
  }),
  // What changed in the folder of a pane.
  scene("changes", CHANGES, "text=auth/rotation", {
    prepare: changedFolder,
    stored: remarks,
  }),
  scene("changes-file", FILE, "text=Fall back to DAY here.", {
    prepare: changedFolder,
    stored: remarks,
  }),
  scene("changes-remark", FILE, "text=Line 43", {
    prepare: changedFolder,
    act: async (page) => {
      await page.locator('[data-line="new43"]').click();
      await page.getByRole("textbox", { name: "Your remark" }).fill("Log the device class too");
    },
  }),
  scene("changes-send", FILE, "text=No, with these remarks", {
    prepare: (server) => {
      changedFolder(server);
      new KeptMessages(server);
    },
    stored: remarks,
    act: (page) => clickCalmly(page.getByRole("button", { name: "2 remarks" })),
  }),
  scene("changes-none", CHANGES, "text=Nothing has changed", {
    prepare: (server) => {
      const { list } = changedFolder(server);
      Object.assign(list, { files: [], total: 0, other_panes: [] });
    },
  }),
];
