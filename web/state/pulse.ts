import { effect, untracked } from "@preact/signals";
import { SLEEP_AFTER_MS } from "../net/connection.ts";
import type { Client } from "./client.ts";
import { followKeyboard } from "./keyboard-room.ts";

const SERVER_KEY = "panewatch.server";

export const rememberedServer = (storage: Storage): string | null => storage.getItem(SERVER_KEY);

/** What moves the client on: snapshots, time, and what happens to the page. */
export class Pulse {
  readonly #client: Client;
  readonly #window: Window;
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
    const { clock, config, finished, panes, queue, shell, waits } = this.#client;
    effect(() => this.#rememberServer());
    effect(() => shell.showCount(queue.waiting.value.length));
    effect(() => {
      // Another version of the server brings another version of the page.
      if (config.serverVersion.value !== "") shell.check();
    });
    effect(() => {
      const shown = panes.all.value;
      if (!panes.isLoaded.value) return;
      untracked(() => {
        waits.learn(shown, clock.now.value);
        finished.learn(shown);
        this.#settle();
      });
    });
    effect(() => {
      void clock.now.value;
      untracked(() => this.#settle());
    });
    effect(() => this.#follow());
  }

  #watchPage(): void {
    const { drafts, touch } = this.#client;
    this.#window.document.addEventListener("visibilitychange", () => this.#visibilityChanged());
    this.#window.addEventListener("pagehide", () => drafts.saveAll());
    this.#window.addEventListener("online", () => this.#client.retry());
    touch.watch(this.#window);
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
    const { connection, drafts, link, queue, shell, shield } = this.#client;
    clearTimeout(this.#sleepTimer);
    if (this.#window.document.hidden) {
      drafts.saveAll();
      this.#sleepTimer = setTimeout(() => link.sleep(), SLEEP_AFTER_MS);
      return;
    }
    queue.enter();
    shield.raise();
    shell.check();
    if (connection.value.asleep) link.start();
    else void link.refresh();
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
