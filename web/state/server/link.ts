import { CLOSE_BAD_TOKEN, CLOSE_KILLED, PAIR_REASON_PREFIX } from "../../../src/protocol/socket.ts";
import { applyCards, applyDelta, type Styles } from "../../../src/protocol/delta.ts";
import type { PresenceFrame } from "../../../src/protocol/frames.ts";
import { readFrame, readState, type SeenState } from "../../../src/protocol/tolerant.ts";
import { reuse, reusePanes } from "../../model/reuse.ts";
import { due, JITTER_MS, reduce, silenceMs, type ConnectionEvent } from "../../net/connection.ts";
import type { PaneSnapshot } from "./panes.ts";
import { Part } from "./part.ts";

const DEFAULT_POLL_SECONDS = 0.7;
const NOTHING: PaneSnapshot = { panes: [], styles: new Map(), cards: [] };

interface ViewFrame {
  readonly type: "view";
  /** Panes whose lines are shown. */
  readonly ids: readonly string[];
  readonly styles: boolean;
}

export class Link extends Part {
  #socket: WebSocket | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #scene = NOTHING;
  /** Aborted when the next poll begins. */
  #polling: AbortController | null = null;
  /** Counts requests and frames, to recognise late replies. */
  #turn = 0;
  #shownTurn = 0;
  /** Replies to requests before this turn are of an earlier connection. */
  #firstTurn = 0;
  /** Cursor of the last agent event: a new socket continues behind it. */
  #cursor: number | null = null;

  /** Also on Retry, after sign-in, and when page or network return. */
  start(): void {
    this.#disconnect();
    this.#apply({ type: "start" });
  }

  sleep(): void {
    this.#disconnect();
    this.#apply({ type: "sleep" });
  }

  /** Called again with each new socket, which `server.sid` tells; without one it does nothing. */
  send(frame: ViewFrame | PresenceFrame): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  /**
   * Fetches the state by REST. True when a state no older than this call was taken; one that a
   * frame has overtaken is dropped, so that no closed prompt comes back.
   */
  async refresh(signal?: AbortSignal): Promise<boolean> {
    const turn = ++this.#turn;
    const result = await this.server.api.call("GET /api/state", {
      query: { cards: "1" },
      signal,
    });
    if (signal?.aborted) return false;
    if (turn < this.#firstTurn) return false;
    if (!result.ok) {
      // A refused token has ended the connection by now (`Api`), or is no longer in use.
      this.#apply({ type: "poll_failed" });
      return false;
    }
    const state = readState(result.value);
    if (state === null) {
      this.refuse("incompatible");
      return false;
    }
    if (turn < this.#shownTurn) return true;
    this.#shownTurn = turn;
    this.#apply({ type: "polled" });
    if (this.server.connection.peek().phase === "rest") this.#workspace?.onMissed();
    // Deltas apply to the socket's own scene, so a REST state does not replace it.
    const scene = this.#reuseRows(state, this.#scene.styles);
    if (this.server.connection.peek().phase !== "live") this.#scene = scene;
    this.server.takeHosts(state.hosts ?? []);
    this.server.panes.take(scene);
    return true;
  }

  refuse(as: "unauthorized" | "incompatible" | "killed"): void {
    this.#disconnect();
    this.#apply({ type: "refused", as });
  }

  #apply(event: ConnectionEvent): void {
    const { connection } = this.server;
    connection.value = reduce(connection.peek(), event, this.server.nowMs());
    this.#schedule();
  }

  /** Without a second poll, and no socket before the handshake. */
  #due() {
    const known = this.server.config.current.peek();
    const seconds = known?.poll_interval ?? DEFAULT_POLL_SECONDS;
    const next = due(this.server.connection.peek(), silenceMs(seconds));
    if (this.#polling !== null) next.pollAt = Infinity;
    if (known === null) next.socketAt = Infinity;
    return next;
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const at = Math.min(...Object.values(this.#due()));
    if (at === Infinity) return;
    this.#timer = setTimeout(() => this.#act(), Math.max(0, at - this.server.nowMs()));
  }

  #act(): void {
    const now = this.server.nowMs();
    const { pollAt, silentAt, socketAt } = this.#due();
    if (silentAt <= now) this.#lost();
    else if (socketAt <= now) this.#openSocket();
    else if (pollAt <= now) void this.#poll();
    else this.#apply({ type: "tick" });
  }

  async #poll(): Promise<void> {
    const poll = (this.#polling = new AbortController());
    const config = this.server.connection.peek().configured
      ? "ok"
      : await this.server.config.load();
    if (poll !== this.#polling) return;
    if (config === "incompatible") this.refuse(config);
    else if (config === "ok") {
      this.#apply({ type: "configured" });
      if (this.server.connection.peek().pollAt !== null) await this.refresh(poll.signal);
    } else this.#apply({ type: "poll_failed" });
    if (poll !== this.#polling) return;
    this.#polling = null;
    this.#schedule();
  }

  #abortPoll(): void {
    this.#polling?.abort();
    this.#polling = null;
  }

  #openSocket(): void {
    this.#dropSocket();
    // Deltas are a fraction of whole states (docs/performance.md).
    const parameters = { mode: "delta", cards: 1, events: 1, cursor: this.#cursor };
    const socket = this.server.openSocket(parameters);
    this.#socket = socket;
    socket.onmessage = (event) => this.#receive(socket, String(event.data));
    socket.onclose = (event) => this.#closed(socket, event);
    this.#apply({ type: "opening" });
  }

  #receive(socket: WebSocket, text: string): void {
    if (socket !== this.#socket) return;
    const frame = readFrame(text);
    if (frame === null) return this.refuse("incompatible");
    switch (frame.type) {
      case "hello":
        this.server.sid.value = frame.sid;
        this.#resume(frame.cursor);
        return;
      case "agent_event":
        this.#cursor = frame.cursor;
        this.#workspace?.receive(frame.event);
        return;
      case "reset":
        this.#cursor = frame.cursor;
        this.#workspace?.onMissed();
        return;
      case "state":
        this.#scene = this.#reuseRows(frame, new Map());
        this.server.takeHosts(frame.hosts ?? []);
        break;
      case "delta": {
        const scene = applyDelta(this.#scene, frame);
        const cards = applyCards(this.#scene.cards, frame.cards);
        if (scene === null || cards === null) return this.#lost();
        this.#scene = { ...scene, cards };
        if (frame.hosts !== undefined) this.server.takeHosts(frame.hosts);
        break;
      }
      case "config_changed":
        // A request from before the change would tell of the old one.
        this.#abortPoll();
        return this.#apply({ type: "reconfigured" });
      case "unknown":
        return;
    }
    this.#shownTurn = ++this.#turn;
    this.#apply({ type: "frame" });
    this.server.panes.take(this.#scene);
  }

  get #workspace() {
    return this.server.workspace.current;
  }

  /** `cursor`: where a new socket's events continue; absent where the server has none. */
  #resume(cursor: number | null = null): void {
    if (cursor === null || cursor !== this.#cursor) this.#workspace?.onMissed();
    this.#cursor = cursor;
  }

  /** Keeps the old objects of equal rows. */
  #reuseRows({ panes, cards = [] }: SeenState, styles: Styles): PaneSnapshot {
    const known = this.#scene;
    return {
      panes: reusePanes(known.panes, panes),
      cards: reuse(known.cards, cards, ({ key }) => key),
      styles,
    };
  }

  #closed(socket: WebSocket, { code, reason }: CloseEvent): void {
    if (socket !== this.#socket) return;
    if (code === CLOSE_BAD_TOKEN) {
      if (reason.startsWith(PAIR_REASON_PREFIX))
        this.server.invitation.value = reason.slice(PAIR_REASON_PREFIX.length);
      return this.refuse("unauthorized");
    }
    if (code === CLOSE_KILLED) return this.refuse("killed");
    this.#lost();
  }

  #lost(): void {
    this.#dropSocket();
    // A request on the same network may hang, and would compete with the next one.
    this.#abortPoll();
    this.#apply({ type: "lost", jitterMs: Math.random() * JITTER_MS });
  }

  /** A hanging request must not delay what comes next. */
  #disconnect(): void {
    this.#dropSocket();
    this.#firstTurn = ++this.#turn;
    this.#abortPoll();
  }

  #dropSocket(): void {
    const socket = this.#socket;
    this.#socket = null;
    if (socket === null) return;
    // REST states may be of another run of the server.
    this.server.sid.value = null;
    socket.onmessage = socket.onclose = null;
    socket.close();
  }
}
