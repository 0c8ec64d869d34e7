import { away, canWatchHosts, onThreeMachines } from "../support/fixture-hosts.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { NARROW, paneHash, type Scene, sheet } from "./scene.ts";

/** Of the fleet, what fits beside a pane. */
const DESK: readonly string[] = ["%12", "%14", "%21", "%22", "%31", "%41"];

const three = (server: FixtureServer) => onThreeMachines(server);
const checked =
  (...done: readonly object[]) =>
  (server: FixtureServer) => {
    canWatchHosts(server);
    server.replies["/api/hosts/check"] = () => ({ steps: done });
  };
const ok = (step: string, ms: number, detail: string | null = null) => ({
  step,
  ok: true,
  detail,
  ms,
});

/** Opens the page for one more machine and looks at `gpu-2`. */
async function check(page: Parameters<NonNullable<Scene["act"]>>[0]): Promise<void> {
  await sheet("settings-add-host")(page);
  await page.getByLabel("Name or address").fill("gpu-2");
  await page.getByRole("button", { name: "Check", exact: true }).click();
}

/** Several machines: lists, cards, a pane, and their page of the settings. */
export const HOSTS_SCENES: readonly Scene[] = [
  {
    name: "hosts-queue",
    hash: "#/queue",
    prepare: three,
    shows: ".host-chip",
    mocks: { phone: "hosts-queue" },
  },
  {
    name: "hosts-all",
    hash: "#/all",
    prepare: three,
    shows: ".host-note",
    mocks: { phone: "hosts-all", desktop: "desktop-hosts" },
  },
  {
    name: "hosts-desk",
    hash: "#/all",
    prepare: (server) => {
      const isShown = (id: string) => DESK.includes(id);
      server.panes = server.panes.filter(({ id }) => isShown(id));
      onThreeMachines(server, away({}), "gpu-1");
    },
    act: async (page) => {
      await page.locator('[data-row="%21"]').click();
    },
    shows: ".docked, .inspector-prompt",
    sizes: ["desktop"],
  },
  {
    name: "hosts-pane-away",
    hash: paneHash("%21"),
    prepare: three,
    shows: ".notice",
    mocks: { desktop: "desktop-hosts" },
  },
  {
    name: "hosts-pane-idle-away",
    hash: paneHash("%31"),
    prepare: three,
    shows: ".pane-foot .notice",
    // Below a low terminal nothing docks.
    sizes: ["phone", "small", "tablet", "desktop"],
  },
  {
    name: "hosts-card-stuck",
    hash: "#/queue",
    prepare: (server) =>
      onThreeMachines(server, away({ reason: "unknown_host_key", retry_at: null })),
    act: async (page) => {
      await page.locator('[data-pane="%21"]').scrollIntoViewIfNeeded();
    },
    shows: '[data-pane="%21"] .notice',
    sizes: NARROW,
  },
  {
    name: "hosts-palette",
    hash: "#/queue",
    prepare: three,
    act: async (page) => {
      await sheet("palette")(page);
      await page.getByRole("combobox").fill("buildbox");
    },
    shows: ".palette-list [role=option]",
  },
  {
    name: "hosts-create",
    hash: paneHash("%31"),
    prepare: (server) => onThreeMachines(server, away({}), "buildbox"),
    act: sheet("create"),
    shows: "[role=dialog] .folders",
  },
  {
    name: "hosts-settings",
    hash: "#/queue",
    prepare: three,
    act: sheet("settings-hosts"),
    shows: "[role=dialog] .host-line",
    mocks: { phone: "hosts" },
  },
  {
    name: "hosts-settings-open",
    hash: "#/queue",
    prepare: (server) =>
      onThreeMachines(
        server,
        away({
          reason: "unknown_host_key",
          detail: "Host key verification failed.",
          retry_at: null,
        }),
      ),
    act: async (page) => {
      await sheet("settings-hosts")(page);
      await page.getByRole("button", { name: /^gpu-1/ }).click();
      await page.getByRole("button", { name: "Remove" }).click();
    },
    shows: ".host-more .actions",
  },
  {
    name: "hosts-none",
    hash: "#/queue",
    prepare: canWatchHosts,
    act: sheet("settings-hosts"),
    shows: "[role=dialog] .button.block",
  },
  {
    name: "hosts-add-failed",
    hash: "#/queue",
    prepare: checked(ok("resolve", 3), ok("connect", 41), {
      step: "host_key",
      ok: false,
      detail: "Host key verification failed.",
      ms: 2,
    }),
    act: check,
    shows: ".fix",
    mocks: { phone: "hosts-add" },
  },
  {
    name: "hosts-add-ready",
    hash: "#/queue",
    prepare: checked(
      ok("resolve", 3),
      ok("connect", 41),
      ok("host_key", 2),
      ok("sign_in", 120),
      ok("shell", 30),
      ok("tmux", 0, "tmux 3.4"),
    ),
    act: check,
    shows: ".checks",
    sizes: NARROW,
  },
];
