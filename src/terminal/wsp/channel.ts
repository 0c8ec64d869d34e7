import { examine, identityOrFailure, isSameSocket } from "./examine.ts";
import {
  decodeText,
  jsonOf,
  parse,
  refusalIn,
  resultOf,
  WirePong,
  WspFailure,
  WspRefusal,
} from "./wire.ts";
import { type Identity, isSameRelease, type SocketFile, untried } from "./identity.ts";
import { envelopeOf, type WspRequest } from "./requests.ts";
import { MAX_OUTPUT_BYTES, type Tool } from "./tool.ts";

const ASK_TIMEOUT_MS = 5000;
const PING_TIMEOUT_MS = 300;

interface ChannelOptions {
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

  /**
   * One request over the socket, and its result.
   * @throws WspRefusal, WspFailure
   */
  async request(
    { method, params }: Pick<WspRequest, "method" | "params">,
    options: { timeoutMs?: number; signal?: AbortSignal | undefined; onWritten?: () => void } = {},
  ): Promise<Record<string, unknown>> {
    const id = `panewatch-${++this.#lastId}`;
    const request = JSON.stringify({ id, method, params });
    const limits = { timeoutMs: ASK_TIMEOUT_MS, ...options };
    const line = await askSocket(this.#identity.socket, request, limits);
    const value = jsonOf(decodeText(line, method), method);
    const refusal = refusalIn(method, value);
    if (refusal) throw refusal;
    return resultOf(value, method, id);
  }

  async #byTool(request: WspRequest, signal?: AbortSignal): Promise<Record<string, unknown>> {
    const { method, params, words } = request;
    const text = await this.tool.read(words, signal);
    // The one command that prints what it read and nothing around it.
    if (method === "pane.read") return { read: { pane_id: params.pane_id, text } };
    const what = words.slice(0, 2).join(" ");
    return resultOf(jsonOf(text, what), what, envelopeOf(request));
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
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** From here on the server may have acted, whatever comes back. */
  onWritten?: () => void;
}

/**
 * One request on a connection of its own, and the one line that comes back. The request is written
 * in the turn in which the connection opens: the server looks for it once when it accepts, and then
 * only every 100 ms.
 * @throws WspFailure when no whole line came back
 */
function askSocket(
  file: SocketFile,
  request: string,
  { timeoutMs, signal, onWritten }: AskOptions,
): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isOver = false;
  let close = () => {};
  const end = (settle: () => void) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    close();
    settle();
  };
  const fail = (failure: WspFailure) => end(() => reject(failure));
  const timer = setTimeout(
    () => fail(new WspFailure("timeout", `the socket gave no answer within ${timeoutMs} ms`)),
    timeoutMs,
  );
  const onAbort = () => fail(new WspFailure("timeout", "the request was stopped"));
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) onAbort();
  Bun.connect({
    unix: file.path,
    socket: {
      open(socket) {
        close = () => void socket.terminate();
        if (isOver) return close();
        // Another server may have taken the path between two requests.
        if (!isSameSocket(file))
          return fail(new WspFailure("socket_invalid", "the socket is another file now"));
        onWritten?.();
        socket.write(`${request}\n`);
        socket.flush();
      },
      data(_, data) {
        size += data.length;
        if (size > MAX_OUTPUT_BYTES)
          return fail(new WspFailure("oversized", "the socket's answer is too long"));
        chunks.push(new Uint8Array(data));
        const last = data.indexOf(0x0a);
        if (last >= 0) end(() => resolve(lineOf(chunks)));
      },
      close: () => fail(closed(size)),
      error: (_, cause) =>
        fail(new WspFailure("session_unavailable", "the socket failed", { cause })),
      connectError: (_, cause) =>
        fail(new WspFailure("session_unavailable", "nobody answers at the socket", { cause })),
    },
  }).catch((cause: unknown) =>
    fail(new WspFailure("session_unavailable", "nobody answers at the socket", { cause })),
  );
  return promise;
}

function closed(size: number): WspFailure {
  if (size > 0) return new WspFailure("malformed", "the socket's answer ends in the middle");
  return new WspFailure("command_failed", "the socket closed without an answer");
}

function lineOf(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
  return whole.subarray(0, whole.indexOf(0x0a));
}
