import { signal } from "@preact/signals";
import type {
  CreateReply,
  CreationState,
  DirectoryListing,
} from "../../../src/protocol/creation.ts";
import {
  INITIAL_FORM,
  isInside,
  type Parents,
  requestFor,
  type CreationForm,
} from "../../model/creation.ts";
import { type FailureStep, failureStep } from "../../net/api.ts";
import { Query } from "./query.ts";
import { Part } from "./part.ts";
import { StoredValue, parseMembers, stringMembers } from "../../model/stored.ts";

/** Timeout of one request. */
const FATE_MS = 5000;

/** Names and parents are not remembered. */
const REMEMBERED = ["host", "type", "path", "runtime", "split", "sizePercent"] as const;

const LOOK_AGAIN_MS = 1500;
const MAX_LOOK_MS = 30_000;

type CreationOutcome = { readonly step: "choosing" } | { readonly step: "creating" } | FailureStep;

/** The form of a new session, window or pane; it stays filled in until that was created. */
export class Creation extends Part {
  readonly #last = new StoredValue(this.server.storage, "creation", readRemembered);
  readonly form = signal<CreationForm>({ ...INITIAL_FORM, ...this.#last.get() });
  readonly outcome = signal<CreationOutcome>({ step: "choosing" });
  readonly state = new Query<CreationState>((signal) =>
    this.server.api.call("GET /api/mux/creation", { query: { host: this.#host }, signal }),
  );
  readonly listing = new Query<DirectoryListing>((signal) =>
    this.server.api.call("GET /api/mux/directories", {
      signal,
      query: { host: this.#host, path: this.form.peek().path ?? "" },
    }),
  );
  readonly #unreported = new StoredValue(this.server.storage, "first-messages", (stored) =>
    stringMembers(parseMembers(stored)),
  );

  set(change: Partial<CreationForm>): void {
    this.form.value = { ...this.form.value, ...change };
    if (this.outcome.peek().step !== "creating") this.outcome.value = { step: "choosing" };
  }

  /** On another machine nothing of the last one is shown any more. */
  async begin(parents: Parents): Promise<void> {
    if (parents.host !== this.#host) {
      this.state.clear();
      this.listing.clear();
    }
    this.set(parents);
    await this.open();
  }

  /** Loads what can be created, and the last directory where it is still inside a root. */
  async open(): Promise<void> {
    const host = this.#host;
    await this.state.load();
    if (host !== this.#host) return;
    const state = this.state.value.peek();
    if (state === null || !state.enabled) return;
    const { path, runtime } = this.form.peek();
    const isKnown = path !== null && isInside(path, state);
    const usable = state.runtimes.filter(({ available }) => available);
    // Prefer an agent to a shell.
    const agent = usable.find(({ id }) => id !== "shell");
    const kept = usable.find(({ id }) => id === runtime) ?? agent ?? usable[0];
    this.set({
      path: isKnown ? path : (state.roots[0]?.path ?? null),
      runtime: kept?.id ?? runtime,
    });
    await this.listing.reload();
    if (host !== this.#host) return;
    // The last directory is gone: begin at the root instead of with an error.
    if (isKnown && this.listing.failure.peek() !== null)
      await this.go(state.roots[0]?.path ?? path);
  }

  async go(path: string): Promise<void> {
    this.set({ path });
    await this.listing.reload();
  }

  /** Null with the reason in `outcome`. */
  async create(): Promise<CreateReply | null> {
    const { name, message } = this.form.peek();
    const request = requestFor(this.form.peek());
    if (request === null || this.outcome.peek().step === "creating") return null;
    this.outcome.value = { step: "creating" };
    const result = await this.server.api.call("POST /api/mux/create", { json: request });
    if (result.ok) {
      this.outcome.value = { step: "choosing" };
      this.#remember();
      const now = this.form.peek();
      if (now.name === name && now.message === message) this.set({ name: "", message: "" });
      return result.value;
    }
    this.outcome.value = failureStep(result.failure);
    return null;
  }

  /** For messages of an earlier page. */
  reportEarlierMessages(): void {
    for (const [paneId, message] of Object.entries(this.#unreported.get()))
      void this.reportFirstMessage(paneId, message);
  }

  /**
   * Waits for the outcome of a first message and reports it; a page that closes before leaves that
   * to the next. A message that could not be typed goes into the composer of its pane, or its words
   * are shown where that is not possible.
   */
  async reportFirstMessage(paneId: string, message: string): Promise<void> {
    this.#unreported.set({ ...this.#unreported.get(), [paneId]: message });
    const fault = await this.#faultOf(paneId);
    const { [paneId]: untold, ...others } = this.#unreported.get();
    // Another tab may have reported it.
    if (fault === null || untold === undefined) return;
    this.#unreported.set(others);
    const { browser, drafts, link, panes } = this.server;
    if (fault === "") return browser.messages.say("The first message was sent.");
    // A new page may not have its panes yet.
    if (panes.latest(paneId) === null) await link.refresh();
    const pane = panes.latest(paneId);
    const isKept = pane !== null && drafts.of(pane).peek().text === "";
    if (isKept) drafts.set(pane, { text: message });
    const where = isKept ? "It stands in the pane’s field." : `Its words: ${message}`;
    browser.messages.alert(`${fault} ${where}`);
  }

  /** Why it was not typed; "" when it was, null after sign-out. */
  async #faultOf(paneId: string): Promise<string | null> {
    const asked = { query: { id: paneId }, timeoutMs: FATE_MS };
    for (let waitMs = LOOK_AGAIN_MS; ; waitMs = Math.min(MAX_LOOK_MS, waitMs * 1.2)) {
      const result = await this.server.api.call("GET /api/mux/message", asked);
      if (!result.ok && result.failure.kind === "unauthorized") return null;
      if (!result.ok && result.failure.kind === "refused")
        return "The service was started anew: the first message may have arrived before. Look at its terminal.";
      const { state, reason } = result.ok ? result.value : { state: "lost", reason: null };
      if (state === "sent") return "";
      if (state === "not_sent")
        return `The first message was not sent${reason === null ? "" : `: ${reason}`}.`;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }

  get #host(): string | null {
    return this.form.peek().host;
  }

  #remember(): void {
    const form = this.form.peek();
    this.#last.set(Object.fromEntries(REMEMBERED.map((name) => [name, form[name]])));
  }
}

/** Checks only types; the server judges the rest. */
const readRemembered = (stored: string | null): Partial<CreationForm> => {
  const members = parseMembers(stored);
  return Object.fromEntries(
    REMEMBERED.flatMap((name) =>
      typeof members[name] === typeof (INITIAL_FORM[name] ?? "") ? [[name, members[name]]] : [],
    ),
  );
};
