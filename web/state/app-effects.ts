import { computed, effect, untracked } from "@preact/signals";
import { areAllOff } from "../model/config.ts";
import { isDone } from "../model/pane.ts";
import { SLEEP_AFTER_MS, isRefused } from "../net/connection.ts";
import { followKeyboard } from "./browser/layout.ts";
import type { Attention, Presence } from "./browser/presence.ts";
import { paneHash } from "./browser/router.ts";
import type { Client } from "./client.ts";
import type { Server } from "./server/server.ts";

const OUTAGE_EVERY_MS = 5000;

/** What follows from snapshots, from time and from what happens to the page. */
export class AppEffects {
  readonly #client: Client;
  readonly #window: Window;
  #hasRecalled = false;
  /** The end of work that was last told as looked at. */
  #toldSeen = "";

  constructor(client: Client) {
    this.#client = client;
    this.#window = client.browser.window;
  }

  start(): void {
    const { alerts, clock, install, preferences, presence, router, shell } = this.#client.browser;
    router.start(preferences.current.value.destination);
    clock.start();
    alerts.start();
    followKeyboard(this.#window);
    shell.start();
    install.start();
    presence.start();
    followPresence(this.#client.server, presence);
    this.#watchState();
    this.#watchPage();
  }

  #watchState(): void {
    const { config, outbox, panes, queue } = this.#client.server;
    const { clock, messages, preferences, router, shell, storage } = this.#client.browser;
    const inspected = (id: string) => this.#client.server.inspected(id);
    effect(() => this.#rememberServer());
    effect(() => this.#client.server.workspace.follow());
    effect(() => {
      if (storage.isLosing.value)
        untracked(() =>
          messages.say(
            "This browser keeps nothing now: drafts and settings go when the page is closed.",
            { isAlert: true },
          ),
        );
    });
    effect(() => {
      const { badge } = preferences.current.value;
      shell.showCount(badge ? queue.count.value : 0);
    });
    effect(() => {
      // Another version of the server brings another version of the page.
      if (config.serverVersion.value !== "") shell.learn(config.serverVersion.value);
    });
    effect(() => {
      void panes.all.value;
      if (!panes.isLoaded.value) return;
      untracked(() => {
        this.#recall();
        this.#settle();
      });
    });
    effect(() => {
      void clock.now.value;
      void outbox.doubts();
      untracked(() => {
        this.#settle();
        reconnectIfOld(this.#client.server, this.#client.browser.presence);
      });
    });
    effect(() => this.#follow());
    effect(() => {
      void this.#client.server.workspace.current.value?.board.drawn.value;
      void panes.isLoaded.value;
      untracked(() => queue.follow());
    });
    // The number counts decisions of agents wherever the reader is.
    effect(() => {
      const { current, facts } = this.#client.server.workspace;
      const { value } = facts;
      return value.step === "on" && value.hasReview ? current.value?.summary.watch() : undefined;
    });
    const areOff = computed(() => areAllOff(panes.all.value));
    effect(() => {
      if (!areOff.value) return;
      // What is the matter stands in the configuration, and may be told better a moment later.
      const load = () => untracked(() => void config.load());
      const timer = setInterval(load, OUTAGE_EVERY_MS);
      load();
      return () => {
        clearInterval(timer);
        load();
      };
    });
    effect(() => {
      const looked = router.looked.value;
      // A look ends a doubt; a pane that the page shows by itself has been looked at by nobody.
      if (looked !== null) untracked(() => void inspected(looked.id));
    });
    effect(() => this.#leadOn());
    effect(() => this.#tellPresence());
    effect(() => this.#tellSeen());
  }

  #watchPage(): void {
    this.#window.addEventListener("hashchange", () => void this.#invited());
    const { drafts } = this.#client.server;
    const { presence, touch } = this.#client.browser;
    let isFirst = true;
    effect(() => {
      const isSeen = presence.attention.value === "visible";
      if (!isFirst) untracked(() => (isSeen ? this.#shown() : drafts.saveAll()));
      isFirst = false;
    });
    this.#window.addEventListener("pagehide", () => drafts.saveAll());
    this.#window.addEventListener("storage", (event) => this.#followOtherTabs(event));
    touch.watch(this.#window);
  }

  /** A pairing link that is opened in a tab that shows the page already only moves its fragment. */
  async #invited(): Promise<void> {
    if (await this.#client.takeInvitation()) this.#client.server.connect();
  }

  /** Once, with the first state: what was on its way when the page was last left may have arrived. */
  #recall(): void {
    if (this.#hasRecalled) return;
    this.#hasRecalled = true;
    const { outbox, panes } = this.#client.server;
    outbox.recall((id) => panes.latest(id) !== null);
  }

  /** Moves on what depends on snapshots and on time. */
  #settle(): void {
    const { acts, outbox, queue } = this.#client.server;
    acts.advance();
    void outbox.ask();
    queue.follow();
  }

  /** Asks for the lines of what is on the screen. */
  #follow(): void {
    const { link, panes } = this.#client.server;
    const { layout, preferences, router } = this.#client.browser;
    const beside = layout.columns.value > 1 ? router.paneBeside.value : null;
    const id = router.openPane.value ?? beside;
    const ids = new Set([...(id === null ? [] : [id]), ...panes.alsoShown.value]);
    link.view([...ids], preferences.current.value.colours);
  }

  /** A chat of nobody leads to the screen, and a session that is in a pane to the page of that pane. */
  #leadOn(): void {
    const { config, panes, workspace } = this.#client.server;
    const { router } = this.#client.browser;
    const route = router.route.value;
    const { step } = workspace.facts.value;
    if (config.current.value === null || step === "starting" || !panes.isLoaded.value) return;
    // What a person chooses in a sheet is about what stands below it.
    if (router.sheet.value !== null) return;
    const lead = (hash: string) => untracked(() => router.replace(hash));
    if (route.screen === "pane" && route.tab === "chat") {
      const pane = panes.find(route.id);
      if (pane !== null && this.#client.server.agentIn(pane) === null) lead(paneHash(route.id));
    }
    if (route.screen !== "agent" || step !== "on") return;
    const pane = panes.all.value.find(({ agent_id }) => agent_id === route.id);
    if (pane !== undefined) lead(paneHash(pane.id, "chat", route.at ?? ""));
  }

  /** The server does not alert a device whose page shows what it would tell of. */
  #tellPresence(): void {
    const { link } = this.#client.server;
    const { device: own, layout, presence, router } = this.#client.browser;
    const device = own.id.value;
    if (device === null) return link.presence(null);
    const pane = router.openPane.value;
    const isCovered = pane !== null || router.openAgent.value !== null;
    const isQueue = router.tab.value === "queue";
    const hasQueue = isQueue && (!isCovered || layout.columns.value > 1);
    const isSeen = presence.attention.value === "visible";
    const visible = isSeen && (hasQueue || pane !== null);
    const shown = hasQueue || pane === null ? {} : { pane };
    link.presence({ type: "presence", visible, device, ...shown });
  }

  /** A finished pane that is on the screen has been looked at: for everyone, so it is told. */
  #tellSeen(): void {
    const { api, panes } = this.#client.server;
    const { presence, router } = this.#client.browser;
    const id = router.openPane.value;
    const pane = id === null ? null : panes.find(id);
    if (pane === null || !isDone(pane) || presence.attention.value !== "visible") return;
    const news = `${pane.id} ${pane.finished_at}`;
    if (news === this.#toldSeen) return;
    this.#toldSeen = news;
    // Not heard: it stays finished, and the next look tells again.
    void api.call("POST /api/seen", { json: { id: pane.id } }).then(({ ok }) => {
      if (!ok && this.#toldSeen === news) this.#toldSeen = "";
    });
  }

  /** A person comes back: what another tab has written, and what stands under the finger. */
  #shown(): void {
    const { drafts, queue } = this.#client.server;
    const { shell, shield } = this.#client.browser;
    drafts.reread();
    queue.enter();
    shield.raise();
    shell.check();
  }

  #followOtherTabs({ key, newValue }: StorageEvent): void {
    const { drafts, token } = this.#client.server;
    const { preferences } = this.#client.browser;
    if (key === null) return;
    drafts.follow(key, newValue);
    preferences.follow(key);
    if (key !== token.key) return;
    if (newValue === null) this.#client.server.signOut();
    else this.#client.server.connect();
  }

  #rememberServer(): void {
    const { config, remembered } = this.#client.server;
    const told = config.current.value?._info.server_instance_id;
    if (told !== undefined) remembered.set(told);
  }
}

/** Sockets go with the attention of a person and with the network. */
export function followPresence(server: Server, presence: Presence): void {
  let before = presence.attention.peek();
  effect(() => {
    const now = presence.attention.value;
    if (now === before) return;
    before = now;
    untracked(() => attend(server, presence, now));
  });
  effect(() => {
    if (presence.returns.value > 0) untracked(() => reconnect(server, presence));
  });
}

/** A machine that slept, or a page that was frozen, ran no timer: what is shown is from before. */
export function reconnectIfOld(server: Server, presence: Presence): boolean {
  const isOld = server.canAnswer.value && server.panes.ageMs() > SLEEP_AFTER_MS;
  if (isOld) reconnect(server, presence);
  return isOld;
}

function attend(server: Server, presence: Presence, now: Attention): void {
  if (now === "asleep") return server.sleep();
  // The frame that was asked for may never come, and what waits for it would hold up what follows.
  if (now === "hidden") return server.panes.flush();
  if (reconnectIfOld(server, presence)) return;
  if (server.connection.value.asleep) reconnect(server, presence);
  else if (!isRefused(server.phase.value)) void server.link.refresh();
}

/** Not after a refusal, which is for the person to end, nor for a page that sleeps unseen. */
function reconnect(server: Server, presence: Presence): void {
  if (isRefused(server.phase.value)) return;
  if (presence.attention.peek() !== "asleep") server.connect();
}
