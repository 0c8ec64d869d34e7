import { effect, untracked } from "@preact/signals";
import { waits } from "../model/pane.ts";
import { isRefused, SLEEP_AFTER_MS } from "../net/connection.ts";
import type { Client } from "./client.ts";
import { followKeyboard } from "./keyboard-room.ts";

const SERVER_KEY = "panewatch.server";

export const rememberedServer = (storage: Storage): string | null => storage.getItem(SERVER_KEY);

/** What moves the client on: snapshots, time, and what happens to the page. */
export class Pulse {
  readonly #client: Client;
  readonly #window: Window;
  #hasRecalled = false;
  #sleepTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(client: Client, window: Window) {
    this.#client = client;
    this.#window = window;
  }

  start(): void {
    const client = this.#client;
    client.router.start(client.preferences.current.value.destination);
    client.clock.start();
    client.alerts.start();
    followKeyboard(this.#window);
    client.shell.start();
    client.install.start();
    this.#watchState();
    this.#watchPage();
  }

  #watchState(): void {
    const { clock, config, finished, panes, preferences, queue, shell, waits } = this.#client;
    effect(() => this.#rememberServer());
    effect(() => {
      const { badge } = preferences.current.value;
      shell.showCount(badge ? queue.waiting.value.length : 0);
    });
    effect(() => {
      // Another version of the server brings another version of the page.
      if (config.serverVersion.value !== "") shell.check();
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
      untracked(() => {
        this.#settle();
        this.#wake();
      });
    });
    effect(() => this.#follow());
  }

  #watchPage(): void {
    const { drafts, touch } = this.#client;
    this.#window.document.addEventListener("visibilitychange", () => this.#visibilityChanged());
    this.#window.addEventListener("pagehide", () => drafts.saveAll());
    this.#window.addEventListener("online", () => this.#reconnect());
    this.#window.addEventListener("storage", (event) => this.#followOtherTabs(event));
    touch.watch(this.#window);
  }

  /** Once, with the first state: what was on its way when the page was last left may have arrived. */
  #recall(): void {
    if (this.#hasRecalled) return;
    this.#hasRecalled = true;
    const { answers, doubts, input, panes } = this.#client;
    for (const [id, label] of Object.entries(doubts.all())) {
      const pane = panes.latest(id);
      if (pane === null) doubts.end(id);
      else input.doubt(id);
      if (pane !== null && waits(pane)) answers.doubt(pane, label);
    }
  }

  /** Moves on what depends on snapshots and on time. */
  #settle(): void {
    this.#client.answers.advance();
    this.#client.queue.follow();
  }

  /** Asks for the lines of the pane that is on the screen. */
  #follow(): void {
    const { layout, link, preferences, router } = this.#client;
    const shown = layout.columns.value > 1 ? router.shownPane.value : null;
    const id = router.openPane.value ?? shown;
    link.view(id === null ? [] : [id], preferences.current.value.colours);
  }

  #visibilityChanged(): void {
    const { connection, drafts, link, phase, queue, shell, shield } = this.#client;
    clearTimeout(this.#sleepTimer);
    if (this.#window.document.hidden) {
      drafts.saveAll();
      this.#sleepTimer = setTimeout(() => this.#sleep(), SLEEP_AFTER_MS);
      return;
    }
    drafts.reread();
    queue.enter();
    shield.raise();
    shell.check();
    if (this.#wake()) return;
    if (connection.value.asleep) return this.#reconnect();
    if (!isRefused(phase.value)) void link.refresh();
  }

  /** Alerts come with the state, so with one of them on a hidden page goes on listening. */
  #sleep(): void {
    const { notify, sound, vibrate } = this.#client.preferences.current.value;
    if (!notify && !sound && !vibrate) this.#client.link.sleep();
  }

  /** A machine that slept, or a page that was frozen, ran no timer: what is shown is from before. */
  #wake(): boolean {
    const { canAnswer, panes } = this.#client;
    const wasAway = canAnswer.value && panes.ageMs() > SLEEP_AFTER_MS;
    if (wasAway) this.#reconnect();
    return wasAway;
  }

  /** Not after a refusal: that one is for the person to end. */
  #reconnect(): void {
    if (!isRefused(this.#client.phase.value)) this.#client.retry();
  }

  #followOtherTabs({ key, newValue }: StorageEvent): void {
    const { drafts, preferences, token } = this.#client;
    if (key === null) return;
    drafts.follow(key, newValue);
    preferences.follow(key, newValue);
    if (!token.owns(key)) return;
    if (newValue === null) this.#client.signOut();
    else this.#client.retry();
  }

  #rememberServer(): void {
    const told = this.#client.config.current.value?._info.server_instance_id;
    if (told === undefined) return;
    try {
      this.#window.localStorage.setItem(SERVER_KEY, told);
    } catch {
      // A full storage: drafts show once the server has answered.
    }
  }
}
