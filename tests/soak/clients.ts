import { SessionsReply } from "../../src/protocol/access.ts";
import { LazyClient } from "../support/client.ts";
import { jsonRequest } from "../support/json.ts";

/** Of an old app, of a page, and of one that follows the workspace. */
const PATHS = ["/ws", "/ws?mode=delta", "/ws?mode=delta&cards=1&events=1", "/ws/agents"];
const STALLED = "soak-stalled";

/** Sockets on the service: one that stays, some that come and go, and one that never reads. */
export class SoakClients {
  readonly #url: URL;
  readonly #open = new Set<WebSocket>();
  #slow: LazyClient | null = null;
  frames = 0;
  longestGapMs = 0;
  connected = 0;
  stallsEnded = 0;
  /** Seconds for which the service kept a client that does not read. */
  longestStall = 0;
  /** How long each small request took, in milliseconds: a pause of the service is one of them. */
  readonly waitsMs: number[] = [];
  #lastFrameMs = 0;
  #isWatching = true;

  constructor(url: string) {
    this.#url = new URL(url);
  }

  /** Counts the frames of one plain socket: one for each pass. */
  watch(): void {
    const socket = this.#connect("/ws");
    this.#lastFrameMs = performance.now();
    socket.addEventListener("message", () => {
      const nowMs = performance.now();
      this.longestGapMs = Math.max(this.longestGapMs, nowMs - this.#lastFrameMs);
      this.#lastFrameMs = nowMs;
      this.frames += 1;
    });
    socket.addEventListener("close", () => {
      if (this.#isWatching) this.watch();
    });
  }

  async ask(): Promise<void> {
    const startedMs = performance.now();
    await (await fetch(new URL("/api/hosts", this.#url))).arrayBuffer();
    this.waitsMs.push(performance.now() - startedMs);
  }

  /** One more comes, and the oldest of too many go. */
  churn(): void {
    const socket = this.#connect(PATHS[this.connected % PATHS.length] ?? "/ws");
    socket.addEventListener("open", () =>
      socket.send(JSON.stringify({ type: "view", ids: ["%1", "%2"], styles: true })),
    );
    // All that are too many: on a slow machine one takes longer to close than the next to come.
    for (const one of [...this.#open].slice(1, -7)) one.close();
  }

  /**
   * Keeps one client that asks for frames and never reads them. That the service has given it up
   * shows in its list only: what it said last waits behind all that is unread.
   */
  async stall(): Promise<void> {
    const reply = await fetch(new URL("/api/sessions", this.#url));
    const { sessions } = SessionsReply.parse(await reply.json());
    const mine = sessions.find(({ ua }) => ua === STALLED);
    if (mine) {
      this.longestStall = Math.max(this.longestStall, mine.age);
      return;
    }
    if (this.#slow) this.stallsEnded += 1;
    this.#slow?.destroy();
    this.#slow = new LazyClient(Number(this.#url.port), "/ws", STALLED);
  }

  async closeAll(): Promise<void> {
    this.#isWatching = false;
    for (const socket of this.#open) socket.close();
    this.#slow?.destroy();
    while (this.#open.size > 0) await Bun.sleep(20);
  }

  #connect(path: string): WebSocket {
    const socket = new WebSocket(new URL(path, this.#url).href.replace("http", "ws"));
    this.connected += 1;
    this.#open.add(socket);
    socket.addEventListener("close", () => this.#open.delete(socket));
    return socket;
  }
}

/** Random actions; refusals are part of the load, also while the multiplexer restarts. */
export class SoakActions {
  readonly #url: string;
  sent = 0;
  readonly answers = new Map<number, number>();

  constructor(url: string) {
    this.#url = url;
  }

  async act(ids: readonly string[]): Promise<void> {
    const id = ids[Math.floor(Math.random() * ids.length)] ?? "%0";
    const expected = { prompt_fingerprint: null, options_fingerprint: null };
    const bodies: readonly (readonly [string, unknown])[] = [
      ["/api/key", { id, key: "Enter" }],
      ["/api/key", { id, key: "Up", expected }],
      ["/api/text", { id, text: "echo $((1 + 1))", enter: true }],
      ["/api/text", { id, text: "line one\nline two\n".repeat(200) }],
      ["/api/text", { id, text: "words", enter: true, expected }],
      ["/api/select", { id, key: "y" }],
      ["/api/select", { id: "%99999", key: "1" }],
      ["/api/broadcast", { ids: ids.slice(0, 20), text: "x", enter: false, skip_waiting: true }],
      ["/api/explain", { id }],
      ["/api/star", { target: "main:1.0", starred: Math.random() < 0.5 }],
    ];
    const [path, body] = bodies[this.sent % bodies.length] ?? ["/api/key", {}];
    this.sent += 1;
    const reply = await fetch(`${this.#url}${path}`, jsonRequest("POST", body));
    await reply.arrayBuffer();
    this.answers.set(reply.status, (this.answers.get(reply.status) ?? 0) + 1);
  }
}
