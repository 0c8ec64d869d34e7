import { effect, untracked } from "@preact/signals";
import { isRefused, SLEEP_AFTER_MS } from "../net/connection.ts";
import { followKeyboard } from "./browser/layout.ts";
import { paneHash, type Route } from "./browser/router.ts";
import type { Client } from "./client.ts";
import type { Server } from "./server/server.ts";

export function startEffects(client: Client): void {
  const { browser } = client;
  const { clock, messages, preferences, presence, router, shell, storage, touch, window } = browser;
  router.start(preferences.current.value.destination);
  clock.start();
  followKeyboard(window);
  shell.start();
  browser.install.start();
  presence.start();
  touch.watch(window);
  effect(() => {
    const text = "This browser keeps nothing now: drafts and settings go when the page is closed.";
    if (storage.isLosing.value) untracked(() => messages.say(text, { isAlert: true }));
  });
  window.addEventListener("pagehide", () => client.server.drafts.saveAll());
  followServer(client.server);
  followOtherTabs(client);
}

/** What follows from what a server tells, for as long as somebody is signed in there. */
export function followServer(server: Server): void {
  followSnapshots(server);
  followReader(server);
  followAttention(server);
  const { browser, config, panes, lastInstance, workspace } = server;
  server.follow(() => {
    const told = config.current.value?._info.server_instance_id;
    if (told !== undefined) lastInstance.set(told);
  });
  server.follow(() => {
    if (panes.isLoaded.value) workspace.follow();
  });
  server.follow(() => {
    // Another version of the server brings another version of the page.
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
      // With the first state: what was on its way when the page was last left may have arrived.
      if (!hasRecalled) outbox.restore((id) => panes.latest(id) !== null);
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

function followReader(server: Server): void {
  const { config, link, panes, workspace } = server;
  const { layout, preferences, router } = server.browser;
  // The lines of what is on the screen.
  server.follow(() => {
    const beside = layout.columns.value > 1 ? router.paneBeside.value : null;
    const id = router.openPane.value ?? beside;
    const ids = new Set([...(id === null ? [] : [id]), ...panes.alsoShown.value]);
    link.view([...ids], preferences.current.value.colours);
  });
  const screenOf = (route: Route) =>
    route.screen === "pane" && route.tab === "screen" ? route.id : null;
  let looked = screenOf(router.route.peek());
  server.follow(() => {
    const id = screenOf(router.route.value);
    if (id === looked) return;
    looked = id;
    // Who turns to a screen ends a doubt; a page that loads has been looked at by nobody.
    if (id !== null) untracked(() => void server.inspected(id));
  });
  // A chat of nobody leads to the screen, and a session that is in a pane to the page of that pane.
  server.follow(() => {
    const route = router.route.value;
    const { step } = workspace.facts.value;
    if (config.current.value === null || step === "starting" || !panes.isLoaded.value) return;
    // What a person chooses in a sheet is about what stands below it.
    if (router.sheet.value !== null) return;
    const lead = (hash: string) => untracked(() => router.replace(hash));
    if (route.screen === "pane" && route.tab === "chat") {
      const pane = panes.find(route.id);
      if (pane !== null && server.agentIn(pane) === null) lead(paneHash(route.id));
    }
    // Once its page has set the filter that its address names.
    if (route.screen !== "agent" || route.part !== null || step !== "on") return;
    const pane = panes.all.value.find(({ agent_id }) => agent_id === route.id);
    if (pane !== undefined) lead(paneHash(pane.id, "chat", route.at ?? ""));
  });
}

function followAttention(server: Server): void {
  const { presence, shell, touch } = server.browser;
  const { drafts, outbox, queue } = server;
  let before = presence.attention.peek();
  server.follow(() => {
    const now = presence.attention.value;
    if (now === before) return;
    before = now;
    untracked(() => {
      if (now !== "visible") drafts.saveAll();
      if (now === "asleep") return server.link.sleep();
      if (now === "hidden") return;
      if (!reconnectIfOld(server)) {
        if (server.connection.value.asleep) reconnect(server);
        else if (!isRefused(server.phase.value)) void server.link.refresh();
      }
      // A person comes back: what another tab has written or sent, and what stands under the finger.
      drafts.reread();
      outbox.restore(() => true);
      queue.enter();
      touch.shield();
      shell.check();
    });
  });
  server.follow(() => {
    if (presence.returns.value > 0) untracked(() => reconnect(server));
  });
}

/** A machine that slept, or a page that was frozen, ran no timer: what is shown is from before. */
function reconnectIfOld(server: Server): boolean {
  const isOld = server.canAnswer.value && server.panes.ageMs() > SLEEP_AFTER_MS;
  if (isOld) reconnect(server);
  return isOld;
}

/** Not after a refusal, which is for the person to end, nor for a page that sleeps unseen. */
function reconnect(server: Server): void {
  if (isRefused(server.phase.value)) return;
  if (server.browser.presence.attention.peek() !== "asleep") server.link.start();
}

function followOtherTabs(client: Client): void {
  const { preferences, window } = client.browser;
  // A pairing link that is opened in a tab that shows the page already only moves its fragment.
  const take = async () => {
    if (await client.signInFromAddress()) client.server.link.start();
  };
  window.addEventListener("hashchange", () => void take());
  window.addEventListener("storage", ({ key, newValue }) => {
    if (key === null) return;
    const { server } = client;
    server.drafts.follow(key, newValue);
    server.outbox.follow(key);
    preferences.follow(key);
    if (key !== server.token.key) return;
    // A tab that was frozen hears late: somebody may have signed in anew since.
    if (server.token.get() === "") client.signOut();
    else server.link.start();
  });
}
