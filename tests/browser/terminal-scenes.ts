import type { Page } from "playwright-core";
import { calm } from "../support/calm.ts";
import { enablePush, OWN_DEVICE } from "../support/fixture-push.ts";
import { fixturePane, fixturePanes, NOW, option } from "../support/fixture-panes.ts";
import { withRecord } from "../support/fixture-record.ts";
import { phoneState } from "../support/fixture-replies.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { draftKey } from "../../web/model/drafts.ts";
import { loseServer } from "./lost-server.ts";
import { hostilePanes } from "../support/hostile-panes.ts";

import { NARROW, paneHash, type Scene, sheet } from "./scene.ts";

const ID = "%12";
/** Where the composer and its notices stand below the terminal all the time. */
const NOT_LOW = ["phone", "small", "tablet", "desktop"] as const;

const option1 = (page: Page) =>
  page.locator(`[data-pane="${ID}"] [data-key="1"], [data-key="1"]`).first();

/** Waits until the prompt takes answers, then presses the first. */
async function answerFirst(page: Page): Promise<void> {
  await option1(page).waitFor();
  await calm(page);
  await option1(page).click();
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

function changePane(server: FixtureServer, id: string, change: object): void {
  server.panes = server.panes.map((pane) => (pane.id === id ? { ...pane, ...change } : pane));
}

const enableUsage = (server: FixtureServer) => {
  server.config = { ...server.config, usage_enabled: true };
};

/** The page comes again as one that is registered and may notify. */
async function beDevice(page: Page): Promise<void> {
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
    area.scrollTop = 0;
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
const withLog = (server: FixtureServer) => changePane(server, "%14", { lines: LOG });

const refuse = (reason: string) => (server: FixtureServer) => {
  server.hook = ({ path }) =>
    path === "/api/select"
      ? Response.json({ detail: { reason, current: server.panes[0] } }, { status: 409 })
      : undefined;
};

/** What watches panes and answers them. */
export const TERMINAL_SCENES: readonly Scene[] = [
  {
    name: "queue",
    hash: "#/queue",
    shows: "text=session-rotation",
    mocks: { phone: "phone-queue", tablet: "tablet" },
  },
  {
    name: "queue-empty",
    hash: "#/queue",
    prepare: onlyQuiet,
    shows: "text=Nothing needs you",
    mocks: { phone: "phone-queue-empty" },
  },
  {
    name: "queue-no-panes",
    hash: "#/queue",
    prepare: noPanes,
    shows: "text=No tmux is running",
    mocks: { phone: "queue-notmux" },
  },
  {
    name: "queue-hostile",
    hash: "#/queue",
    prepare: (server) => {
      server.panes = hostilePanes();
    },
    shows: "text=بوابة-الدفع",
    mocks: { phone: "phone-queue-stress" },
  },
  {
    name: "queue-loading",
    hash: "#/queue",
    prepare: (server) => {
      server.hook = ({ path }) =>
        path === "/api/config" ? new Promise<Response>(() => undefined) : undefined;
    },
    shows: ".skeleton",
  },
  {
    name: "queue-errors",
    hash: "#/queue",
    sizes: NARROW,
    prepare: (server) => {
      const isShown = (status: string) => status === "error" || status === "working";
      server.panes = server.panes.filter(({ status }) => isShown(status));
    },
    shows: "text=Reply",
  },
  {
    name: "answer-armed",
    hash: "#/queue",
    sizes: NARROW,
    stored: () => ({ "panewatch.preferences": { answerWith: "confirm" } }),
    act: answerFirst,
    shows: ".option-send",
  },
  {
    name: "copied",
    hash: "#/queue",
    sizes: ["phone", "desktop"],
    act: async (page) => {
      // A browser without permission for the clipboard says so in the same place.
      const copy = page.getByRole("button", { name: /^Copy/ });
      await copy.first().click();
    },
    shows: ".toast",
    mocks: { phone: "phone-reconnecting" },
  },
  {
    name: "answer-sent",
    hash: "#/queue",
    sizes: NARROW,
    act: answerFirst,
    shows: "text=Yes, sent",
    mocks: { phone: "phone-queue-states" },
  },
  {
    name: "answer-changed",
    hash: "#/queue",
    sizes: NARROW,
    act: async (page, server) => {
      const change = {
        question: "Would you like to reset the database?",
        evidence: ["$ migrate reset"],
      };
      await clickOnceDrawn(page, `[data-pane="${ID}"] [data-key="y"]`);
      server.change(ID, { ...change, menu: [option("y", "Yes"), option("n", "No")] });
    },
    shows: "text=This prompt just changed",
    mocks: { phone: "phone-queue-states" },
  },
  {
    name: "answer-refused",
    hash: "#/queue",
    sizes: NARROW,
    prepare: refuse("options_changed"),
    act: answerFirst,
    shows: "text=Not sent",
  },
  {
    name: "answer-uncertain",
    hash: "#/queue",
    sizes: NARROW,
    prepare: refuse("delivery_unknown"),
    act: answerFirst,
    shows: "text=May have arrived",
  },
  {
    name: "answer-stale",
    hash: "#/queue",
    sizes: NARROW,
    prepare: (server) => changePane(server, ID, { stale: true, actionable: false }),
    shows: "text=This pane cannot be read",
  },
  {
    name: "active",
    hash: "#/active",
    shows: "text=integration-tests",
    mocks: { phone: "phone-active" },
  },
  {
    name: "active-quiet",
    hash: "#/active",
    prepare: (server) => {
      const isQuiet = ({ status, agent }: (typeof server.panes)[0]) =>
        status === "idle" && agent === null;
      server.panes = server.panes.filter(isQuiet);
    },
    shows: "text=All quiet",
  },
  {
    name: "all",
    hash: "#/all",
    shows: "text=docs-site",
    mocks: { phone: "phone-all", desktop: "desktop" },
  },
  {
    name: "all-peek",
    hash: "#/all",
    sizes: NARROW,
    stored: leftDraft,
    act: peek,
    shows: "text=Last lines",
    mocks: { phone: "phone-all" },
  },
  {
    name: "all-no-match",
    hash: "#/all",
    act: (page) => page.getByRole("searchbox").first().fill("nothing of the kind"),
    shows: "text=No match",
  },
  { name: "all-no-panes", hash: "#/all", prepare: noPanes, shows: "text=No panes yet" },
  { name: "sort", hash: "#/all", act: sheet("sort"), shows: "role=dialog" },
  {
    name: "stats",
    hash: "#/stats",
    prepare: enableUsage,
    shows: "text=Firefox on Linux",
    mocks: { phone: "phone-stats" },
  },
  {
    name: "pane",
    hash: paneHash(ID),
    shows: "[data-terminal]",
    mocks: { phone: "phone-pane", landscape: "phone-landscape" },
  },
  {
    name: "pane-working",
    hash: paneHash("%14"),
    shows: "text=Measuring",
  },
  {
    name: "pane-sent",
    sizes: NOT_LOW,
    hash: paneHash(ID),
    act: async (page, server) => {
      await answerFirst(page);
      await page
        .getByText(/, (sent|confirmed)$/)
        .first()
        .waitFor();
      server.change(ID, {
        status: "working",
        question: null,
        menu: [],
        evidence: [],
        updated: NOW,
      });
    },
    shows: "text=/Yes, confirmed/",
    mocks: { phone: "phone-pane-sent" },
  },
  {
    name: "pane-reply",
    hash: paneHash(ID),
    act: (page) => page.locator('[data-key="3"]').first().click(),
    shows: "text=Sent as your answer",
    mocks: { phone: "phone-pane-reply" },
  },
  {
    name: "pane-compose",
    sizes: NOT_LOW,
    hash: paneHash("%14"),
    prepare: withLog,
    act: writeMeanwhile,
    shows: "text=/14 new lines/",
    mocks: { phone: "phone-pane-compose" },
  },
  {
    name: "pane-selecting",
    sizes: ["phone", "desktop"],
    hash: paneHash("%14"),
    prepare: withLog,
    act: (page) => page.getByText("52. explain").selectText(),
    shows: "text=Paused while you select",
  },
  {
    name: "pane-insert",
    sizes: NOT_LOW,
    hash: paneHash("%14"),
    act: (page) => page.getByRole("button", { name: "Attach or insert" }).click(),
    shows: "text=run the tests",
    mocks: { phone: "phone-pane-insert" },
  },
  {
    name: "pane-menu",
    hash: paneHash(ID),
    act: sheet("pane-menu", ID),
    shows: "role=dialog",
    mocks: { phone: "phone-pane-menu" },
  },
  {
    name: "pane-find",
    hash: paneHash(ID),
    act: async (page) => {
      await sheet("pane-menu", ID)(page);
      await page.getByRole("dialog").getByText("Find in output").click();
      await page.getByPlaceholder("Find").fill("session");
    },
    shows: "text=/1 of \\d+/",
  },
  { name: "pane-stale", sizes: NOT_LOW, hash: paneHash("%52"), shows: "text=cannot be read now" },
  {
    name: "pane-offline",
    sizes: NOT_LOW,
    hash: paneHash("cfg:ops:smoke.1"),
    shows: "text=Not running",
  },
  { name: "pane-gone", hash: paneHash("%999"), shows: "text=This pane is gone" },
  {
    name: "pane-no-output",
    hash: paneHash("%80"),
    prepare: (server) => {
      const quiet = { number: 80, session: "api", window: "new", name: "fresh", ago: 2 };
      server.panes = [...server.panes, fixturePane({ ...quiet, kind: "shell", status: "idle" })];
    },
    shows: "text=No output yet",
  },
  {
    name: "pane-hostile",
    hash: paneHash("%72"),
    prepare: (server) => {
      server.panes = [...hostilePanes(), ...fixturePanes()];
    },
    shows: "[data-terminal]",
  },
  {
    name: "settings",
    hash: "#/queue",
    act: sheet("settings"),
    shows: "role=dialog",
    mocks: { phone: "settings-home" },
  },
  {
    name: "settings-server",
    hash: "#/queue",
    sizes: ["phone", "desktop"],
    prepare: enableUsage,
    act: async (page) => {
      await sheet("settings-server")(page);
      await page.locator(".version").scrollIntoViewIfNeeded();
    },
    shows: ".version",
  },
  ...["answering", "look", "terminal", "snippets", "keys", "panes"].map((page) => ({
    name: `settings-${page}`,
    hash: "#/queue",
    act: sheet(`settings-${page}`),
    shows: "role=dialog",
  })),
  {
    name: "settings-patterns",
    hash: "#/queue",
    act: sheet("settings-patterns", "generic_prompt_patterns"),
    shows: "text=Text that makes a pane wait",
  },
  {
    name: "devices",
    prepare: withRecord,
    act: sheet("settings-devices"),
    shows: "text=this device",
    mocks: { phone: "one-devices" },
  },
  {
    name: "device",
    prepare: withRecord,
    act: async (page) => {
      await sheet("settings-device", "tab")(page);
      await page.getByRole("button", { name: "Remove" }).click();
    },
    shows: "role=alertdialog",
    mocks: { phone: "one-device" },
  },
  {
    name: "let-in",
    sizes: ["phone", "desktop"],
    prepare: withRecord,
    act: sheet("settings-let-in"),
    shows: "text=Show its code",
  },
  {
    name: "record",
    hash: "#/record",
    prepare: withRecord,
    shows: "text=4 refused sign-ins",
    mocks: { phone: "one-record", desktop: "one-record-desktop" },
  },
  {
    name: "on-your-phone",
    hash: "#/phone",
    prepare: noPanes,
    shows: "text=Works once",
    mocks: { desktop: "on-your-phone" },
  },
  {
    name: "on-your-phone-blocked",
    hash: "#/phone",
    prepare: (server: FixtureServer) => {
      noPanes(server);
      server.replies["/api/phone"] = () => phoneState("reachable");
    },
    shows: "text=No phone can reach this address",
    mocks: { desktop: "on-your-phone-blocked" },
  },
  {
    name: "on-your-phone-open",
    hash: "#/phone",
    prepare: (server: FixtureServer) => {
      server.replies["/api/phone"] = () => ({
        ...phoneState("password"),
        phones: [{ id: "a", name: "Safari on iOS", paired_at: NOW - 86_400 }],
      });
    },
    shows: "text=Make a token",
  },
  {
    name: "paired-share",
    hash: "#/paired",
    sizes: ["phone"],
    prepare: (server: FixtureServer) => enablePush(server, { devices: [] }),
    act: async (page) => {
      // As Safari on an iPhone before the page is on its home screen.
      await page.addInitScript((origin) => {
        // The page may show another scene of another server later.
        if (location.origin !== origin) return;
        const agent = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Mobile Safari/604.1";
        Object.defineProperty(navigator, "userAgent", { get: () => agent });
        Object.defineProperty(navigator, "standalone", { get: () => false });
      }, new URL(page.url()).origin);
      await page.reload();
    },
    shows: "text=Add to Home Screen",
    mocks: { phone: "paired" },
  },
  {
    name: "paired",
    hash: "#/paired",
    prepare: (server: FixtureServer) => enablePush(server, { devices: [] }),
    shows: "text=on mina",
    mocks: { phone: "paired" },
  },
  ...["phone", "quiet", "muted"].map((page) => ({
    name: `settings-${page}`,
    hash: "#/queue",
    prepare: (server: FixtureServer) => enablePush(server),
    act: async (shown: Page) => {
      await beDevice(shown);
      await sheet(`settings-${page}`)(shown);
      await shown
        .getByText(/ready|Quiet hours|ml:2.1/)
        .first()
        .waitFor();
    },
    shows: "role=dialog",
    mocks: { phone: page === "phone" ? "push" : "push-quiet" },
  })),
  {
    name: "settings-phone-blocked",
    hash: "#/queue",
    prepare: (server) => enablePush(server, { devices: [] }),
    act: async (page) => {
      await page.evaluate(() =>
        Object.defineProperty(Notification, "permission", { get: () => "denied" }),
      );
      await sheet("settings-phone")(page);
    },
    shows: "text=Allow them again",
    mocks: { phone: "push-states" },
  },
  {
    name: "mute",
    hash: paneHash(ID),
    prepare: (server: FixtureServer) => enablePush(server),
    act: async (page) => {
      await beDevice(page);
      await sheet("mute", ID)(page);
      await page.getByText("Until I change it").waitFor();
    },
    shows: "role=dialog",
    mocks: { phone: "push-mute" },
  },
  { name: "rename", hash: paneHash(ID), act: sheet("rename", ID), shows: "role=dialog" },
  {
    name: "broadcast",
    hash: "#/all",
    act: sheet("broadcast"),
    shows: "role=dialog",
    mocks: { phone: "phone-broadcast" },
  },
  {
    name: "create",
    hash: "#/all",
    act: sheet("create"),
    shows: "role=dialog",
    mocks: { phone: "phone-create" },
  },
  {
    name: "create-pane",
    hash: "#/all",
    sizes: ["phone", "tablet"],
    act: async (page) => {
      await sheet("create")(page);
      await page.getByRole("dialog").getByText("Pane", { exact: true }).click();
    },
    shows: ".split-drawing",
    mocks: { phone: "phone-create-pane" },
  },
  {
    name: "palette",
    hash: paneHash(ID),
    act: sheet("palette"),
    shows: "role=dialog",
    mocks: { desktop: "desktop-palette" },
  },
  {
    name: "shortcuts",
    hash: paneHash(ID),
    act: sheet("shortcuts"),
    shows: "role=dialog",
    mocks: { desktop: "desktop-shortcuts" },
  },
  {
    name: "shortcuts-queue",
    hash: "#/queue",
    sizes: ["tablet", "desktop"],
    prepare: (server) => server.switchWorkspace(true),
    act: async (page) => {
      await page.locator(".beside h1").waitFor();
      await sheet("shortcuts")(page);
    },
    shows: "text=Send what is chosen",
    mocks: { desktop: "desktop-shortcuts" },
  },
  { name: "explain", hash: paneHash(ID), act: sheet("explain", ID), shows: "role=dialog" },
  { name: "wrong", hash: paneHash(ID), act: markWrong, shows: "text=What will be saved" },
  {
    name: "wrong-saved",
    hash: paneHash(ID),
    act: async (page) => {
      await markWrong(page);
      await page.getByRole("combobox", { name: "What it really was" }).selectOption("needs_input");
      await page.getByRole("button", { name: "Save", exact: true }).click();
    },
    shows: "text=Saved as agent_a-5f4f1d1f",
  },
  {
    name: "sign-in",
    prepare: (server) => {
      server.token = "a-long-random-string";
    },
    shows: "text=Sign in to panewatch",
    mocks: { phone: "phone-signin" },
  },
  {
    name: "sign-in-error",
    prepare: (server) => {
      server.token = "a-long-random-string";
    },
    act: async (page) => {
      await page.getByRole("textbox", { name: "Token" }).fill("not-this-one");
      await page.getByRole("button", { name: "Sign in" }).click();
    },
    shows: "text=did not accept",
    mocks: { phone: "phone-signin-error" },
  },
  {
    name: "rest",
    hash: "#/queue",
    prepare: (server) => {
      server.hasSockets = false;
    },
    shows: "text=Every 2 s",
    mocks: { phone: "phone-reconnecting" },
  },
  {
    name: "offline",
    hash: "#/queue",
    act: loseServer,
    shows: "text=No connection to the server",
    mocks: { phone: "phone-offline" },
    isOffline: true,
  },
  {
    name: "killed",
    hash: "#/queue",
    act: async (_page, server) => server.closeSockets(4001),
    shows: "text=Disconnected from another browser",
  },
  {
    name: "incompatible",
    prepare: (server) => {
      const { _info, ...live } = server.config;
      const compatibility = { ..._info.compatibility, protocol_version: 99 };
      server.config = { ...live, _info: { ..._info, compatibility } };
    },
    shows: "text=do not fit together",
  },
];
