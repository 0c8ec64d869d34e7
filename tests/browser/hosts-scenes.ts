import { away, canWatchHosts, onThreeMachines } from "../support/fixture-hosts.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { NARROW, paneHash, scene, type Scene, sheet } from "./scene.ts";

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
  scene("hosts-queue", "#/queue", ".host-chip", { prepare: three }),
  scene("hosts-all", "#/all", ".host-note", { prepare: three }),
  scene("hosts-desk", "#/all", ".docked, .inspector .card", {
    prepare: (server) => {
      const isShown = (id: string) => DESK.includes(id);
      server.panes = server.panes.filter(({ id }) => isShown(id));
      onThreeMachines(server, away({}), "gpu-1");
    },
    act: async (page) => {
      await page.locator('[data-row="%21"]').click();
    },
    sizes: ["desktop"],
  }),
  scene("hosts-pane-away", paneHash("%21"), ".notice", { prepare: three }),
  scene("hosts-card-stuck", "#/queue", '[data-pane="%21"] .notice', {
    prepare: (server) =>
      onThreeMachines(server, away({ reason: "unknown_host_key", retry_at: null })),
    act: async (page) => {
      await page.locator('[data-pane="%21"]').scrollIntoViewIfNeeded();
    },
    sizes: NARROW,
  }),
  scene("hosts-create", paneHash("%31"), "[role=dialog] .folders", {
    prepare: (server) => onThreeMachines(server, away({}), "buildbox"),
    act: sheet("create"),
  }),
  scene("hosts-settings", "#/queue", "[role=dialog] .host-line", {
    prepare: three,
    act: sheet("settings-hosts"),
  }),
  scene("hosts-settings-open", "#/queue", ".host-more .actions", {
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
  }),
  scene("hosts-none", "#/queue", "[role=dialog] .button.block", {
    prepare: canWatchHosts,
    act: sheet("settings-hosts"),
  }),
  scene("hosts-add-failed", "#/queue", ".fix", {
    prepare: checked(ok("resolve", 3), ok("connect", 41), {
      step: "host_key",
      ok: false,
      detail: "Host key verification failed.",
      ms: 2,
    }),
    act: check,
  }),
];
