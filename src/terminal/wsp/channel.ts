import { examine, identityOrFailure, isSameSocket } from "./examine.ts";
import { WspFailure } from "./failure.ts";
import { untried, type Identity, type SocketFile } from "./identity.ts";
import { jsonOf, parse, resultOf, textOf, WirePong } from "./parse.ts";
import { ENVELOPES, requestOf, wordsOf, type Query } from "./query.ts";
import { refusalIn, WspRefusal } from "./refusal.ts";
import { isSameRelease } from "./releases.ts";
import { askSocket } from "./socket.ts";
import type { Tool } from "./tool.ts";

const ASK_TIMEOUT_MS = 5000;
const PING_TIMEOUT_MS = 300;

export interface ChannelOptions {
  tool: Tool;
  /** As the start found it. */
  identity: Identity;
  /** False: only the executable is ever used. */
  mayUseSocket: boolean;
  /** A release that nobody tried is answered too. */
  acceptsUntested: boolean;
}

/**
 * Asks the one session that was checked. Over its socket while nothing has given cause for doubt,
 * else by the executable. After every failure the session is checked anew before it is believed.
 */
export class Channel {
  readonly tool: Tool;
  readonly #mayUseSocket: boolean;
  readonly #acceptsUntested: boolean;
  #caution: WspFailure | null = null;
  #identity: Identity;
  #isTrusted = true;
  #isSocketGood = false;
  #hasRefusedProcesses = false;
  #lastId = 0;

  constructor({ tool, identity, mayUseSocket, acceptsUntested }: ChannelOptions) {
    this.tool = tool;
    this.#acceptsUntested = acceptsUntested;
    this.#identity = identity;
    this.#noteCaution();
    this.#mayUseSocket = mayUseSocket;
  }

  get identity(): Identity {
    return this.#identity;
  }

  /** Why the session is only watched; null where it is answered too. */
  get caution(): WspFailure | null {
    return this.#caution;
  }

  /** What tells this server process's socket from the next one's. */
  get socketKey(): string {
    return this.#identity.socket.mark;
  }

  /** Null while nothing goes over the socket. */
  get socket(): SocketFile | null {
    return this.#isTrusted && this.#isSocketGood ? this.#identity.socket : null;
  }

  /**
   * Makes sure of the session: cheaply while nothing has happened, by every check of the start after
   * a failure, another socket file or another executable.
   * @throws WspFailure
   */
  async verify(signal?: AbortSignal): Promise<void> {
    const isAsItWas =
      this.#isTrusted && this.tool.isUnchanged && isSameSocket(this.#identity.socket);
    if (!isAsItWas) {
      this.#isTrusted = false;
      this.#isSocketGood = false;
      this.#identity = identityOrFailure(await examine(this.tool, signal));
      this.#noteCaution();
      this.#isTrusted = true;
    }
    if (this.#mayUseSocket && !this.#isSocketGood) this.#isSocketGood = await this.#ping(signal);
  }

  #noteCaution(): void {
    const { release } = this.#identity;
    const isAnswered = release.isVerified || this.#acceptsUntested;
    this.#caution = isAnswered ? null : new WspFailure("incompatible", untried(release));
  }

  /** Whether it is worth asking who runs in a pane. */
  get tellsProcesses(): boolean {
    return this.#identity.methods.has("pane.process_info") && !this.#hasRefusedProcesses;
  }

  /** It named the method and refuses it: not asked again. */
  forgoProcesses(): void {
    this.#hasRefusedProcesses = true;
  }

  /** Something was seen that must not be: the next `verify` checks everything. */
  doubt(): void {
    this.#isTrusted = false;
    this.#isSocketGood = false;
  }

  /**
   * @throws WspRefusal when the server refused, as it does for a pane that is gone
   * @throws WspFailure when it gave no answer that can be believed
   */
  async ask(query: Query, signal?: AbortSignal): Promise<Record<string, unknown>> {
    try {
      if (this.socket) return await this.request(requestOf(query), { signal });
      return await this.#byTool(query, signal);
    } catch (error) {
      const isAnswer = error instanceof WspRefusal && error.category === "command_failed";
      if (!isAnswer && signal?.aborted !== true) this.doubt();
      throw error;
    }
  }

  /**
   * One request over the socket, and its result.
   * @throws WspRefusal, WspFailure
   */
  async request(
    { method, params }: { method: string; params: Record<string, unknown> },
    options: { timeoutMs?: number; signal?: AbortSignal | undefined; onWritten?: () => void } = {},
  ): Promise<Record<string, unknown>> {
    const id = `panewatch-${++this.#lastId}`;
    const request = JSON.stringify({ id, method, params });
    const limits = { timeoutMs: ASK_TIMEOUT_MS, ...options };
    const line = await askSocket(this.#identity.socket, request, limits);
    const value = jsonOf(textOf(line, method), method);
    const refusal = refusalIn(method, value);
    if (refusal) throw refusal;
    return resultOf(value, method, id);
  }

  async #byTool(query: Query, signal?: AbortSignal): Promise<Record<string, unknown>> {
    const words = wordsOf(query);
    const text = await this.tool.read(words, signal);
    if (query.ask === "read") return { read: { pane_id: query.pane, text } };
    const what = words.slice(0, 2).join(" ");
    return resultOf(jsonOf(text, what), what, ENVELOPES[query.ask]);
  }

  async #ping(signal?: AbortSignal): Promise<boolean> {
    const options = { timeoutMs: PING_TIMEOUT_MS, signal };
    try {
      const pong = await this.request({ method: "ping", params: {} }, options);
      return isSameRelease(parse(WirePong, pong, "ping"), this.#identity.release);
    } catch (error) {
      // The executable still answers; the next pass tries the socket again.
      if (error instanceof WspFailure) return false;
      throw error;
    }
  }
}
