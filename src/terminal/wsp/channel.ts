import { examine, isSameSocket, requireIdentity } from "./examine.ts";
import { type Identity, isSameRelease, type SocketFile, untestedWarning } from "./identity.ts";
import { converse } from "./socket.ts";
import type { Tool } from "./tool.ts";
import {
  parse,
  refusalIn,
  resultOf,
  WirePong,
  WspFailure,
  WspRefusal,
  type WspRequest,
} from "./wire.ts";

const ASK_TIMEOUT_MS = 5000;
const PING_TIMEOUT_MS = 300;

interface ChannelOptions {
  tool: Tool;
  identity: Identity;
  /** False: only the executable is ever used. */
  mayUseSocket: boolean;
  acceptsUntested: boolean;
}

/**
 * Sends requests to the one session that was checked: over its socket while there is no cause for doubt,
 * else by the executable. After every failure the session is checked again before it is trusted.
 */
export class Channel {
  readonly tool: Tool;
  readonly #options: ChannelOptions;
  #identity: Identity;
  #isTrusted = true;
  #isSocketGood = false;
  #lastId = 0;

  constructor(options: ChannelOptions) {
    this.tool = options.tool;
    this.#options = options;
    this.#identity = options.identity;
  }

  get identity(): Identity {
    return this.#identity;
  }

  /** Why the session is only watched and not answered; null where it is answered. */
  get caution(): WspFailure | null {
    const { release } = this.#identity;
    const isAnswered = release.isVerified || this.#options.acceptsUntested;
    return isAnswered ? null : new WspFailure("incompatible", untestedWarning(release));
  }

  get socket(): SocketFile | null {
    return this.#isTrusted && this.#isSocketGood ? this.#identity.socket : null;
  }

  /**
   * Checks the session again: cheaply as a rule; by every check of the start after a failure, or when the
   * socket file or the executable was replaced.
   * @throws WspFailure
   */
  async verify(signal?: AbortSignal): Promise<void> {
    const isAsItWas =
      this.#isTrusted && this.tool.isUnchanged && isSameSocket(this.#identity.socket);
    if (!isAsItWas) {
      this.doubt();
      this.#identity = requireIdentity(await examine(this.tool, signal));
      this.#isTrusted = true;
    }
    if (this.#options.mayUseSocket && !this.#isSocketGood)
      this.#isSocketGood = await this.#ping(signal);
  }

  /** The schema names this method and the session refuses it: it is not used again. */
  dropMethod(method: string): void {
    const methods = new Set([...this.#identity.methods].filter((each) => each !== method));
    this.#identity = { ...this.#identity, methods };
  }

  /** The next `verify` checks everything. */
  doubt(): void {
    this.#isTrusted = false;
    this.#isSocketGood = false;
  }

  /** @throws WspRefusal where the server refuses, as for a pane that is gone; else WspFailure */
  async ask(request: WspRequest, signal?: AbortSignal): Promise<Record<string, unknown>> {
    try {
      if (this.socket) return await this.request(request, { signal });
      return await this.#byTool(request, signal);
    } catch (error) {
      const isAnswer = error instanceof WspRefusal && error.category === "command_failed";
      if (!isAnswer && signal?.aborted !== true) this.doubt();
      throw error;
    }
  }

  /** Over the socket only. @throws WspRefusal, WspFailure */
  async request(
    { method, params }: Pick<WspRequest, "method" | "params">,
    options: AskOptions = {},
  ): Promise<Record<string, unknown>> {
    const id = `panewatch-${++this.#lastId}`;
    const request = JSON.stringify({ id, method, params });
    const answer = await askSocket(this.#identity.socket, request, options);
    const refusal = refusalIn(method, answer);
    if (refusal) throw refusal;
    return resultOf(answer, method, id);
  }

  async #byTool(
    { method, params, words }: WspRequest,
    signal?: AbortSignal,
  ): Promise<Record<string, unknown>> {
    const text = await this.tool.read(words, signal);
    // The only command that prints its result without an envelope.
    if (method === "pane.read") return { read: { pane_id: params.pane_id, text } };
    const command = words.slice(0, 2);
    const envelope = ["cli", ...command].join(":").replaceAll("-", "_");
    return resultOf(text, command.join(" "), envelope);
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

interface AskOptions {
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
  written?: () => void;
}

/** Resolves to the first line of the answer. @throws WspFailure when no whole line came */
function askSocket(
  file: SocketFile,
  request: string,
  { timeoutMs = ASK_TIMEOUT_MS, signal, written }: AskOptions,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const giveUp = (why: string) => () => reject(new WspFailure("timeout", why));
  const timer = setTimeout(giveUp(`the socket gave no answer within ${timeoutMs} ms`), timeoutMs);
  const onAbort = giveUp("the request was stopped");
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) onAbort();
  const handlers = { written: () => written?.(), line: resolve, failed: reject };
  const close = signal?.aborted ? () => {} : converse(file, request, handlers);
  return promise.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    close();
  });
}
