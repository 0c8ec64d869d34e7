import { effect, untracked } from "@preact/signals";
import { isRefused, SLEEP_AFTER_MS } from "../net/connection.ts";
import { followKeyboard } from "./browser/layout.ts";
import { paneHash, type Route } from "./browser/router.ts";
import type { Client } from "./client.ts";
import type { Server } from "./server/server.ts";

export function startEffects(client: Client): void {
  const { browser } = client;
  const { clock, isVisible, messages, preferences, router, shell, storage, touch, window } =
    browser;
  router.start(preferences.current.value.destination);
  clock.start();
  followKeyboard(window);
  shell.start();
  browser.install.start();
  touch.watch(window);
  effect(() => {
    const text = "This browser keeps nothing now: drafts and settings go when the page is closed.";
    if (storage.isLosing.value) untracked(() => messages.say(text, { isAlert: true }));
  });
  window.addEventListener("pagehide", () => client.server.drafts.saveAll());
  window.addEventListener("online", () => {
    if (!client.server.connection.peek().asleep) reconnect(client.server);
  });
  const look = () => (isVisible.value = !window.document.hidden);
  window.document.addEventListener("visibilitychange", look);
  look();
  followServer(client.server);
  followOtherTabs(client);
}

/** Until somebody signs out. */
export function followServer(server: Server): void {
  followSnapshots(server);
  followReader(server);
  followVisibility(server);
  const { browser, config, panes, lastInstance, workspace } = server;
  server.follow(() => {
    const told = config.current.value?._info.server_instance_id;
    if (told !== undefined) lastInstance.set(told);
  });
  server.follow(() => {
    if (panes.isLoaded.value) workspace.follow();
  });
  server.follow(() => {
    // A new version of the server brings a new version of the page.
    if (config.serverVersion.value !== "") browser.shell.learn(config.serverVersion.value);
  });
}

function followSnapshots(server: Server): void {
  const { answers, browser, outbox, panes, queue } = server;
  let hasRecalled = false;
  const settle = () => {
    answers.advance();
    void outbox.ask();
    queue.follow();
  };
  server.follow(() => {
    void panes.all.value;
    void panes.cards.value;
    if (!panes.isLoaded.value) return;
    untracked(() => {
      // Only with the first state: sends that were under way when the page was left may have
      // arrived.
      if (!hasRecalled) outbox.restore((id) => !server.isGone({ id, host: undefined }));
      hasRecalled = true;
      settle();
    });
  });
  server.follow(() => {
    void browser.clock.now.value;
    void outbox.doubts();
    untracked(() => {
      settle();
      reconnectIfOld(server);
    });
  });
}

export function followReader(server: Server): void {
  const { config, link, panes, sid, workspace } = server;
  const { layout, preferences, router } = server.browser;
  server.follow(() => {
    void sid.value;
    const beside = layout.columns.value > 1 ? router.paneBeside.value : null;
    const id = router.openPane.value ?? beside;
    const ids = new Set([...(id === null ? [] : [id]), ...panes.alsoShown.value]);
    link.send({ type: "view", ids: [...ids], styles: preferences.current.value.colours });
  });
  const screenOf = (route: Route) =>
    route.screen === "pane" && route.tab === "screen" ? route.id : null;
  let looked = screenOf(router.route.peek());
  server.follow(() => {
    const id = screenOf(router.route.value);
    if (id === looked) return;
    looked = id;
    // Opening the screen of a pane settles a doubt about it; a page that just loads has been looked
    // at by nobody.
    if (id !== null) untracked(() => void server.inspected(id));
  });
  // A chat without an agent leads to the screen; a session in a pane to that pane's page.
  server.follow(() => {
    const route = router.route.value;
    const { step } = workspace.facts.value;
    if (config.current.value === null || step === "starting" || !panes.isLoaded.value) return;
    // Sheets act on the page below them, which must not change meanwhile.
    if (router.sheet.value !== null) return;
    const lead = (hash: string) => untracked(() => router.replace(hash));
    if (route.screen === "pane" && route.tab === "chat") {
      const pane = panes.find(route.id);
      if (pane !== null && server.agentIn(pane) === null) lead(paneHash(route.id));
    }
    // `part` is set until the page has taken the filter from its address.
    if (route.screen !== "agent" || route.part !== null || step !== "on") return;
    const pane = panes.all.value.find(({ agent_id }) => agent_id === route.id);
    if (pane !== undefined) lead(paneHash(pane.id, "chat", route.at ?? ""));
  });
}

/** A page that was hidden for a while sleeps: it closes its connections until it is shown again. */
export function followVisibility(server: Server): void {
  const { device, isVisible, preferences, shell, touch } = server.browser;
  const { connection, drafts, link, outbox, phase, queue } = server;
  const sleep = () => {
    const { sound, vibrate } = preferences.current.peek();
    // A page that gives alerts needs the state of the panes.
    if (!sound && !vibrate) link.sleep();
  };
  const wake = () => {
    if (!reconnectIfOld(server)) {
      if (connection.value.asleep) reconnect(server);
      else if (!isRefused(phase.value)) void link.refresh();
    }
    // Other tabs may have written or sent meanwhile, and other rows are under the finger.
    preferences.follow();
    device.follow();
    drafts.follow();
    outbox.restore(() => true);
    queue.enter();
    touch.shield();
    shell.check();
  };
  let wasHidden = false;
  server.follow(() => {
    const isHidden = !isVisible.value;
    if (isHidden) untracked(() => drafts.saveAll());
    else if (wasHidden) untracked(wake);
    wasHidden = isHidden;
    const timer = isHidden ? setTimeout(sleep, SLEEP_AFTER_MS) : undefined;
    return () => clearTimeout(timer);
  });
}

/** After a sleep of the machine, or a frozen page, the snapshot is old although no timer ran. */
function reconnectIfOld(server: Server): boolean {
  const isOld = server.canAnswer.value && server.panes.ageMs() > SLEEP_AFTER_MS;
  if (isOld) reconnect(server);
  return isOld;
}

/** A refusal is for the person to end. */
function reconnect({ link, phase }: Server): void {
  if (!isRefused(phase.value)) link.start();
}

function followOtherTabs(client: Client): void {
  const { device, preferences, window } = client.browser;
  // A pairing link that is opened in an existing tab changes only its fragment.
  const take = async () => {
    if (await client.signInFromAddress()) client.server.link.start();
  };
  window.addEventListener("hashchange", () => void take());
  window.addEventListener("storage", ({ key }) => {
    if (key === null) return;
    const { server } = client;
    server.drafts.follow(key);
    server.outbox.follow(key);
    preferences.follow();
    device.follow();
    if (key !== server.token.key) return;
    // A frozen tab hears late: somebody may have signed in again since.
    if (server.token.get() === "") client.signOut();
    else server.link.start();
  });
}
