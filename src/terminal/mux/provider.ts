import { type Log } from "../../lib/log.ts";
import { RunError, type RunResult } from "../../lib/run.ts";
import { ALLOWED_KEYS } from "../../protocol/input.ts";
import type { PaneCapabilities } from "../../protocol/pane.ts";
import type {
  Capture,
  InputStep,
  ListedPane,
  Listing,
  ProviderInfo,
  SendGuard,
  SendOutcome,
  TerminalProvider,
} from "../provider.ts";
import { MuxClient, socketPath } from "./client.ts";
import {
  captureBatches,
  captureCommand,
  DISABLE_AUTO_RENAME,
  listCommand,
  newMark,
} from "./commands.ts";
import { Foreground } from "./foreground.ts";
import {
  complaint,
  meansGone,
  meansNoPanes,
  meansServerLost,
  parseFrames,
  parseListing,
  type ParsedRow,
} from "./parse.ts";
import { sendSteps } from "./send.ts";

const LIST_TIMEOUT_MS = 5000;
const CAPTURE_TIMEOUT_MS = 10_000;
const COMMAND_TIMEOUT_MS = 5000;
const MAX_LISTING_BYTES = 16 * 1024 * 1024;
const MAX_CAPTURE_BYTES = 64 * 1024 * 1024;

const decoder = new TextDecoder();

export interface MuxOptions {
  /** Name looked up in PATH, or a path. */
  binary: string;
  /** Name or path of the server socket; empty: as tmux resolves it. */
  socket: string;
  disableAutoRename: boolean;
  log: Log;
}

/** tmux, read and written through short processes; no client ever attaches to a session. */
export class MuxProvider implements TerminalProvider {
  readonly capabilities: PaneCapabilities = {
    capture: true,
    input: "legacy",
    literal_text: true,
    menu_select: true,
    keys: [...ALLOWED_KEYS],
    broadcast: true,
    create: true,
    delete: false,
    native_agent_state: false,
  };
  readonly info: ProviderInfo;
  readonly #client: MuxClient;
  readonly #options: MuxOptions;
  readonly #foreground: Foreground;
  #rows: ReadonlyMap<string, ParsedRow> = new Map();
  #epoch = "";

  private constructor(client: MuxClient, options: MuxOptions) {
    this.#client = client;
    this.#options = options;
    this.#foreground = new Foreground();
    this.info = {
      id: "mux",
      version: client.version,
      protocol: null,
      executable: client.executable,
      socket: socketPath(options.socket, process.env, process.getuid?.() ?? 0),
    };
  }

  /** @throws StartupError when there is no tmux, or one too old. */
  static async open(options: MuxOptions): Promise<MuxProvider> {
    return new MuxProvider(await MuxClient.open(options), options);
  }

  get client(): MuxClient {
    return this.#client;
  }

  isPaneId(id: string): boolean {
    return /^%\d+$/.test(id);
  }

  async list(signal: AbortSignal, id?: string): Promise<Listing> {
    if (id !== undefined && !this.isPaneId(id)) return { epoch: "", panes: [] };
    const mark = newMark();
    const { code, stdout, stderr } = await this.#client.run(listCommand(mark, id), {
      timeoutMs: LIST_TIMEOUT_MS,
      maxBytes: MAX_LISTING_BYTES,
      signal,
    });
    if (code !== 0) {
      if (stdout.length === 0 && meansNoPanes(stderr)) return { epoch: "", panes: [] };
      throw new Error(`cannot list panes: ${complaint(stderr, code)}`);
    }
    const { listing, rows, missing } = parseListing(decoder.decode(stdout), mark, this.#rows);
    if (id !== undefined) return listing;
    this.#rows = rows;
    if (listing.epoch !== this.#epoch && missing.length > 0)
      this.#options.log.warn(`this tmux server does not know ${missing.join(", ")}`);
    this.#epoch = listing.epoch;
    this.#foreground.keep(listing.panes);
    return listing;
  }

  async greet(signal: AbortSignal): Promise<void> {
    if (!this.#options.disableAutoRename) return;
    const { code, stderr } = await this.#client.run(DISABLE_AUTO_RENAME, {
      timeoutMs: COMMAND_TIMEOUT_MS,
      maxBytes: 4096,
      signal,
    });
    if (code !== 0) throw new Error(`cannot set automatic-rename: ${complaint(stderr, code)}`);
  }

  async capture(
    panes: readonly ListedPane[],
    lines: number,
    signal: AbortSignal,
  ): Promise<Map<string, Capture | Error>> {
    const found = new Map<string, Capture | Error>();
    for (const batch of captureBatches(panes, lines))
      await this.#captureBatch(batch, lines, signal, found);
    return found;
  }

  // A command list stops at its first failing command: go on behind the pane that failed.
  async #captureBatch(
    batch: readonly ListedPane[],
    lines: number,
    signal: AbortSignal,
    found: Map<string, Capture | Error>,
  ): Promise<void> {
    let rest = batch;
    while (rest.length > 0) {
      const mark = newMark();
      const result = await this.#runCapture(mark, rest, lines, signal);
      if (result === "too_large") return this.#captureHalves(rest, lines, signal, found);
      const { code, stdout, stderr } = result;
      const frames = parseFrames(stdout, mark);
      // The last frame is the end of the output, or of the pane that failed.
      const whole = frames.length - 1;
      const isTrusted = code === 0 ? whole === rest.length : whole >= 0 && whole < rest.length;
      if (!isTrusted) throw new Error(`cannot capture panes: ${complaint(stderr, code)}`);
      rest.slice(0, whole).forEach((pane, index) => {
        found.set(pane.id, { text: frames[index] ?? "" });
      });
      const failed = rest[whole];
      if (failed && !meansGone(stderr)) {
        if (stderr === "" || meansServerLost(stderr))
          throw new Error(`cannot capture panes: ${complaint(stderr, code)}`);
        found.set(failed.id, new Error(`cannot capture ${failed.id}: ${complaint(stderr, code)}`));
      }
      rest = rest.slice(whole + 1);
    }
  }

  async #runCapture(
    mark: string,
    panes: readonly ListedPane[],
    lines: number,
    signal: AbortSignal,
  ) {
    try {
      return await this.#client.run(captureCommand(mark, panes, lines), {
        timeoutMs: CAPTURE_TIMEOUT_MS,
        maxBytes: MAX_CAPTURE_BYTES,
        signal,
      });
    } catch (error) {
      if (error instanceof RunError && error.kind === "too_large") return "too_large";
      throw error;
    }
  }

  // One screen full of attributes can be huge: find it, and let the others through.
  async #captureHalves(
    panes: readonly ListedPane[],
    lines: number,
    signal: AbortSignal,
    found: Map<string, Capture | Error>,
  ): Promise<void> {
    const [only] = panes;
    if (only && panes.length === 1) {
      found.set(only.id, new Error(`cannot capture ${only.id}: its screen is too large`));
      return;
    }
    const middle = Math.ceil(panes.length / 2);
    await this.#captureBatch(panes.slice(0, middle), lines, signal, found);
    await this.#captureBatch(panes.slice(middle), lines, signal, found);
  }

  processes(pane: ListedPane): Promise<readonly (readonly string[])[]> {
    return this.#foreground.read(pane);
  }

  send(id: string, steps: readonly InputStep[], guard: SendGuard | null): Promise<SendOutcome> {
    return sendSteps((args, stdin) => this.#runSend(args, stdin), id, steps, guard);
  }

  #runSend(args: readonly string[], stdin?: string): Promise<RunResult> {
    return this.#client.run(args, {
      timeoutMs: COMMAND_TIMEOUT_MS,
      maxBytes: 4096,
      ...(stdin === undefined ? {} : { stdin }),
    });
  }
}
