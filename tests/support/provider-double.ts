import type { PaneCapabilities } from "../../src/protocol/pane.ts";
import type {
  Capture,
  CapturedPane,
  EventSubscription,
  InputStep,
  ListedPane,
  Listing,
  PaneProcess,
  ProviderInfo,
  SendGuard,
  SendOutcome,
  TerminalProvider,
} from "../../src/terminal/provider.ts";

interface ScriptedText {
  id: string;
  /** What is captured of it. */
  text: string;
}

/** Panes in memory that a test scripts: what they show, and how the provider fails. */
export abstract class ProviderDouble<Pane extends ScriptedText> implements TerminalProvider {
  abstract readonly info: ProviderInfo;
  abstract readonly capabilities: PaneCapabilities;
  readonly panes: Pane[] = [];
  readonly sent: { id: string; steps: readonly InputStep[]; guard: SendGuard | null }[] = [];
  /** Calls so far, one entry each: `captured` holds the ids. */
  readonly calls = { list: 0, captured: [] as string[][], processes: 0 };
  /** Thrown by the next calls, until it is null again. */
  listError: Error | null = null;
  captureError: Error | null = null;
  /** Failures of single panes by id; `gone`: listed, but no longer there when captured. */
  readonly paneErrors = new Map<string, Error | "gone">();
  /** A call waits for it, when a test wants to look at the middle of a pass. */
  gate: Promise<void> | null = null;
  /** Called by `send`, so that a program can react. */
  onSend: (id: string, steps: readonly InputStep[]) => SendOutcome = () => "sent";

  protected abstract listed(pane: Pane): ListedPane;
  protected abstract captured(pane: Pane, lines: number): Capture;
  protected abstract processesOf(pane: Pane): PaneProcess[];
  abstract isPaneId(id: string): boolean;
  abstract start(wake: () => void): void;
  abstract stop(): Promise<void>;
  abstract events(): EventSubscription;
  abstract unchanged(
    panes: readonly CapturedPane[],
    at: number,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>>;

  find(id: string): Pane {
    const pane = this.panes.find((each) => each.id === id);
    if (!pane) throw new Error(`the double has no pane ${id}`);
    return pane;
  }

  close(id: string): void {
    this.panes.splice(this.panes.indexOf(this.find(id)), 1);
  }

  async list(signal: AbortSignal): Promise<Listing> {
    this.calls.list++;
    await this.#enter(signal);
    if (this.listError) throw this.listError;
    return { panes: this.panes.map((pane) => this.listed(pane)) };
  }

  async look(
    id: string,
    lines: number,
    signal: AbortSignal,
  ): Promise<{ pane: ListedPane; capture: Capture } | null> {
    await this.#enter(signal);
    if (this.listError) throw this.listError;
    const found = this.panes.find((pane) => pane.id === id);
    if (!found) return null;
    const pane = this.listed(found);
    const capture = (await this.capture([pane], lines, signal)).get(id);
    if (capture instanceof Error) throw capture;
    return capture ? { pane, capture } : null;
  }

  async capture(
    panes: readonly ListedPane[],
    lines: number,
    signal: AbortSignal,
  ): Promise<Map<string, Capture | Error>> {
    this.calls.captured.push(panes.map(({ id }) => id));
    await this.#enter(signal);
    if (this.captureError) throw this.captureError;
    const found = new Map<string, Capture | Error>();
    for (const { id } of panes) {
      const error = this.paneErrors.get(id);
      const pane = this.panes.find((each) => each.id === id);
      if (error instanceof Error) found.set(id, error);
      else if (pane && error !== "gone") found.set(id, this.captured(pane, lines));
    }
    return found;
  }

  async processes({ id }: ListedPane): Promise<readonly PaneProcess[]> {
    this.calls.processes++;
    const pane = this.panes.find((each) => each.id === id);
    return pane ? this.processesOf(pane) : [];
  }

  async send(
    id: string,
    steps: readonly InputStep[],
    guard: SendGuard | null,
  ): Promise<SendOutcome> {
    const pane = this.panes.find((each) => each.id === id);
    if (guard && pane && guard.identity !== this.listed(pane).identity) return "refused";
    this.sent.push({ id, steps, guard });
    return this.onSend(id, steps);
  }

  async #enter(signal: AbortSignal): Promise<void> {
    await this.gate;
    signal.throwIfAborted();
  }
}

export function lastLines(text: string, count: number): string {
  return text.split("\n").slice(-count).join("\n");
}
