import { computed, effect, untracked } from "@preact/signals";
import { areAllOff } from "../model/outage.ts";
import { isDone } from "../model/pane.ts";
import { isRefused, SLEEP_AFTER_MS } from "../net/connection.ts";
import { alerts as words } from "../words/queue.ts";
import type { Client } from "./client.ts";
import { common } from "../words/common.ts";
import { paneHash } from "./browser/router.ts";
import { rememberServer } from "./server/remembered.ts";
import { followKeyboard } from "./browser/keyboard-room.ts";

const OUTAGE_EVERY_MS = 5000;

/** What moves the client on: snapshots, time, and what happens to the page. */
export class Pulse {
  readonly #client: Client;
  readonly #window: Window;
  #hasRecalled = false;
  /** The end of work that was last told as looked at. */
  #toldSeen = "";
  #sleepTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(client: Client) {
    this.#client = client;
    this.#window = client.browser.window;
  }

  start(): void {
    const { alerts, clock, install, preferences, router, shell } = this.#client.browser;
    router.start(preferences.current.value.destination);
    clock.start();
    alerts.start();
    followKeyboard(this.#window);
    shell.start();
    install.start();
    this.#watchState();
    this.#watchPage();
  }

  #watchState(): void {
    const { config, finished, gate, panes, queue, waits } = this.#client.server;
    const { clock, messages, preferences, router, shell, storage } = this.#client.browser;
    const inspected = (id: string) => this.#client.server.inspected(id);
    // The configuration is read anew with every reconnect; the key alone says that it may be another.
    const pushKey = computed(
      () => config.current.value?._info.capabilities.web_push_v1?.public_key ?? "",
    );
    effect(() => this.#rememberServer());
    effect(() => this.#client.server.workspace.follow());
    effect(() => {
      if (storage.isLosing.value) untracked(() => messages.say(common.notKept, { isAlert: true }));
    });
    effect(() => {
      const { badge } = preferences.current.value;
      shell.showCount(badge ? queue.waiting.value.length : 0);
    });
    effect(() => {
      // Another version of the server brings another version of the page.
      if (config.serverVersion.value !== "") shell.learn(config.serverVersion.value);
    });
    effect(() => {
      const shown = panes.all.value;
      if (!panes.isLoaded.value) return;
      untracked(() => {
        this.#recall();
        waits.learn(shown, clock.now.value);
        finished.learn(shown);
        this.#settle();
      });
    });
    effect(() => {
      void clock.now.value;
      void gate.doubts();
      untracked(() => {
        this.#settle();
        this.#wake();
      });
    });
    effect(() => this.#follow());
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
    effect(() => this.#leadToSession());
    effect(() => this.#tellPresence());
    effect(() => this.#tellSeen());
    effect(() => {
      if (pushKey.value !== "") untracked(() => void this.#renewPush());
    });
  }

  #watchPage(): void {
    this.#window.addEventListener("hashchange", () => void this.#invited());
    const { drafts } = this.#client.server;
    const { touch } = this.#client.browser;
    this.#window.document.addEventListener("visibilitychange", () => this.#visibilityChanged());
    // A tab that is restored behind others begins out of sight.
    if (this.#window.document.hidden) this.#hide();
    this.#window.addEventListener("pagehide", () => drafts.saveAll());
    this.#window.addEventListener("online", () => this.#reconnect());
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
    const { gate, panes } = this.#client.server;
    gate.recall((id) => panes.latest(id) !== null);
  }

  /** Moves on what depends on snapshots and on time. */
  #settle(): void {
    const { answers, queue } = this.#client.server;
    answers.advance();
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

  /** `#/pane/<id>/context` is the session of a pane; where none is certain, the pane itself. */
  #leadToSession(): void {
    const { config, workspace } = this.#client.server;
    const { messages, router } = this.#client.browser;
    const route = router.route.value;
    if (route.screen !== "pane" || !route.isContext || config.current.value === null) return;
    const isOn = workspace.facts.value.step === "on" && !workspace.hasFailed.value;
    if (!isOn) return untracked(() => router.replace(paneHash(route.id)));
    const shown = workspace.current.value;
    // Its code is on the way.
    if (shown === null) return;
    untracked(async () => {
      const { hash, sentence } = await shown.contextOf(route.id);
      if (router.route.peek() !== route) return;
      router.replace(hash);
      if (sentence !== null) messages.say(sentence);
    });
  }

  /** The server does not alert a device whose page shows what it would tell of. */
  #tellPresence(): void {
    const { link, notifications } = this.#client.server;
    const { layout, router } = this.#client.browser;
    const device = notifications.deviceId.value;
    if (device === null) return link.presence(null);
    const pane = router.openPane.value;
    const isCovered = pane !== null || router.openAgent.value !== null;
    const isQueue = router.tab.value === "queue" && router.half.value === "first";
    const hasQueue = isQueue && (!isCovered || layout.columns.value > 1);
    const visible = !this.#window.document.hidden && (hasQueue || pane !== null);
    const shown = hasQueue || pane === null ? {} : { pane };
    link.presence({ type: "presence", visible, device, ...shown });
  }

  /** A finished pane that is on the screen has been looked at: for everyone, so it is told. */
  #tellSeen(): void {
    const { api, panes } = this.#client.server;
    const id = this.#client.browser.router.openPane.value;
    const pane = id === null ? null : panes.find(id);
    if (pane === null || !isDone(pane) || this.#window.document.hidden) return;
    const news = `${pane.id} ${pane.finished_at}`;
    if (news === this.#toldSeen) return;
    this.#toldSeen = news;
    // Not heard: it stays finished, and the next look tells again.
    void api.seen(pane.id).then(({ ok }) => {
      if (!ok && this.#toldSeen === news) this.#toldSeen = "";
    });
  }

  async #renewPush(): Promise<void> {
    const { messages } = this.#client.browser;
    const fate = await this.#client.server.notifications.renew();
    if (fate !== null) messages.say(words[fate]);
  }

  #visibilityChanged(): void {
    this.#tellPresence();
    this.#tellSeen();
    const { connection, drafts, link, phase, queue } = this.#client.server;
    const { shell, shield } = this.#client.browser;
    clearTimeout(this.#sleepTimer);
    if (this.#window.document.hidden) return this.#hide();
    drafts.reread();
    queue.enter();
    shield.raise();
    shell.check();
    if (this.#wake()) return;
    if (connection.value.asleep) return this.#reconnect();
    if (!isRefused(phase.value)) void link.refresh();
  }

  #hide(): void {
    const { drafts, panes } = this.#client.server;
    drafts.saveAll();
    // The frame that was asked for may never come, and what waits for it would hold up what follows.
    panes.flush();
    this.#sleepTimer = setTimeout(() => this.#sleep(), SLEEP_AFTER_MS);
  }

  /** Alerts come with the state, so with one of them on a hidden page goes on listening. */
  #sleep(): void {
    const { notify, sound, vibrate } = this.#client.browser.preferences.current.value;
    if (!notify && !sound && !vibrate) this.#client.server.sleep();
  }

  /** A machine that slept, or a page that was frozen, ran no timer: what is shown is from before. */
  #wake(): boolean {
    const { canAnswer, panes } = this.#client.server;
    const wasAway = canAnswer.value && panes.ageMs() > SLEEP_AFTER_MS;
    if (wasAway) this.#reconnect();
    return wasAway;
  }

  /** Not after a refusal, which is for the person to end, nor for a page that sleeps unseen. */
  #reconnect(): void {
    const { connection, phase } = this.#client.server;
    if (isRefused(phase.value)) return;
    if (this.#window.document.hidden && connection.value.asleep) return;
    this.#client.server.connect();
  }

  #followOtherTabs({ key, newValue }: StorageEvent): void {
    const { drafts, token } = this.#client.server;
    const { preferences } = this.#client.browser;
    if (key === null) return;
    drafts.follow(key, newValue);
    this.#client.server.workspace.current.peek()?.outgoing.follow(key);
    preferences.follow(key, newValue);
    if (!token.owns(key)) return;
    if (newValue === null) this.#client.server.signOut();
    else this.#client.server.connect();
  }

  #rememberServer(): void {
    const { config } = this.#client.server;
    const told = config.current.value?._info.server_instance_id;
    if (told !== undefined) rememberServer(this.#client.browser.storage, told);
  }
}
