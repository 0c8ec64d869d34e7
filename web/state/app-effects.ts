import { effect, untracked } from "@preact/signals";
import { isRefused, SLEEP_AFTER_MS } from "../net/connection.ts";
import { followKeyboard } from "./browser/layout.ts";
import { paneHash } from "./browser/router.ts";
import type { Client } from "./client.ts";

export function startEffects(client: Client): void {
  const { browser } = client;
  const { clock, messages, preferences, presence, router, shell } = browser;
  router.start(preferences.current.value.destination);
  clock.start();
  followKeyboard(browser.window);
  shell.start();
  browser.install.start();
  presence.start();
  followAttention(client);
  followSnapshots(client);
  followReader(client);
  followOtherTabs(client);

  const { config, queue, remembered, workspace } = client.server;
  effect(() => {
    const told = config.current.value?._info.server_instance_id;
    if (told !== undefined) remembered.set(told);
  });
  effect(() => workspace.follow());
  effect(() => {
    const text = "This browser keeps nothing now: drafts and settings go when the page is closed.";
    if (browser.storage.isLosing.value) untracked(() => messages.say(text, { isAlert: true }));
  });
  effect(() => {
    const { badge } = preferences.current.value;
    shell.showCount(badge ? queue.count.value : 0);
  });
  effect(() => {
    // Another version of the server brings another version of the page.
    if (config.serverVersion.value !== "") shell.learn(config.serverVersion.value);
  });
}

function followSnapshots({ browser, server }: Client): void {
  const { answers, outbox, panes, queue } = server;
  let hasRecalled = false;
  const settle = () => {
    answers.advance();
    void outbox.ask();
    queue.follow();
  };
  effect(() => {
    void panes.all.value;
    void panes.cards.value;
    if (!panes.isLoaded.value) return;
    untracked(() => {
      // With the first state: what was on its way when the page was last left may have arrived.
      if (!hasRecalled) outbox.recall((id) => panes.latest(id) !== null);
      hasRecalled = true;
      settle();
    });
  });
  effect(() => {
    void browser.clock.now.value;
    void outbox.doubts();
    untracked(() => {
      settle();
      reconnectIfOld({ browser, server });
    });
  });
}

function followReader({ browser, server }: Client): void {
  const { config, link, panes, workspace } = server;
  const { layout, preferences, router } = browser;
  // The lines of what is on the screen.
  effect(() => {
    const beside = layout.columns.value > 1 ? router.paneBeside.value : null;
    const id = router.openPane.value ?? beside;
    const ids = new Set([...(id === null ? [] : [id]), ...panes.alsoShown.value]);
    link.view([...ids], preferences.current.value.colours);
  });
  effect(() => {
    const looked = router.looked.value;
    // A look ends a doubt; a pane that the page shows by itself has been looked at by nobody.
    if (looked !== null) untracked(() => void server.inspected(looked.id));
  });
  // A chat of nobody leads to the screen, and a session that is in a pane to the page of that pane.
  effect(() => {
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
    if (route.screen !== "agent" || step !== "on") return;
    const pane = panes.all.value.find(({ agent_id }) => agent_id === route.id);
    if (pane !== undefined) lead(paneHash(pane.id, "chat", route.at ?? ""));
  });
}

function followAttention({ browser, server }: Client): void {
  const { presence, shell, shield, touch, window } = browser;
  const { drafts, panes, queue } = server;
  let before = presence.attention.peek();
  effect(() => {
    const now = presence.attention.value;
    if (now === before) return;
    before = now;
    untracked(() => {
      if (now !== "visible") drafts.saveAll();
      if (now === "asleep") return server.sleep();
      // The frame that was asked for may never come, and what waits for it would hold up what follows.
      if (now === "hidden") return panes.flush();
      if (!reconnectIfOld({ browser, server })) {
        if (server.connection.value.asleep) reconnect({ browser, server });
        else if (!isRefused(server.phase.value)) void server.link.refresh();
      }
      // A person comes back: what another tab has written, and what stands under the finger.
      drafts.reread();
      queue.enter();
      shield.raise();
      shell.check();
    });
  });
  effect(() => {
    if (presence.returns.value > 0) untracked(() => reconnect({ browser, server }));
  });
  window.addEventListener("pagehide", () => drafts.saveAll());
  touch.watch(window);
}

type Both = Pick<Client, "browser" | "server">;

/** A machine that slept, or a page that was frozen, ran no timer: what is shown is from before. */
function reconnectIfOld({ browser, server }: Both): boolean {
  const isOld = server.canAnswer.value && server.panes.ageMs() > SLEEP_AFTER_MS;
  if (isOld) reconnect({ browser, server });
  return isOld;
}

/** Not after a refusal, which is for the person to end, nor for a page that sleeps unseen. */
function reconnect({ browser, server }: Both): void {
  if (isRefused(server.phase.value)) return;
  if (browser.presence.attention.peek() !== "asleep") server.connect();
}

function followOtherTabs(client: Client): void {
  const { browser, server } = client;
  // A pairing link that is opened in a tab that shows the page already only moves its fragment.
  const take = async () => {
    if (await client.takeInvitation()) server.connect();
  };
  browser.window.addEventListener("hashchange", () => void take());
  browser.window.addEventListener("storage", ({ key, newValue }) => {
    if (key === null) return;
    server.drafts.follow(key, newValue);
    browser.preferences.follow(key);
    if (key !== server.token.key) return;
    if (newValue === null) server.signOut();
    else server.connect();
  });
}
