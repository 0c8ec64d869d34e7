import type { GuardedInput } from "../../../src/input/guarded.ts";
import { createLog } from "../../../src/lib/log.ts";
import type { InputConflict, InputRequest } from "../../../src/protocol/input.ts";
import { InputConflict as Conflict } from "../../../src/protocol/input.ts";
import type { PaneState } from "../../../src/protocol/pane.ts";
import { AppError } from "../../../src/errors.ts";
import type { Hub } from "../../../src/terminal/hub.ts";
import type { Poller } from "../../../src/terminal/poller.ts";
import { FakeClock } from "../clock.ts";
import { SETTINGS } from "../poller.ts";
import { CLIENT } from "../../input/agent-pane.ts";
import { watching } from "../watching.ts";
import { wspStage, type WspStage } from "./provider.ts";
import type { Pane, RawState } from "./world.ts";

export interface Watched extends WspStage {
  hub: Hub;
  poller: Poller;
  guarded: GuardedInput;
  /** Runs passes until this holds. */
  sees(condition: (panes: readonly PaneState[]) => boolean): Promise<readonly PaneState[]>;
  /** The first pane of the double. */
  readonly pane: Pane;
  /** The one pane that is published. */
  only(): PaneState;
  /** The outcome of a request: "accepted", or the refusal's detail. */
  ask(request: Partial<InputRequest>): Promise<"accepted" | Refused>;
  log: string[];
  /** The time of its actions, which their pauses advance. */
  nowMs(): number;
}

export type Refused = InputConflict | { status: string; reason: string };

/** A whole service without HTTP over a double; `prepare` opens panes before it starts. */
export async function watched(
  prepare: (stage: WspStage) => void,
  options: Parameters<typeof wspStage>[0] = {},
): Promise<Watched> {
  const stage = await wspStage(options);
  prepare(stage);
  const [pane] = stage.world.panes;
  if (!pane) throw new Error("no pane was opened");
  const lines: string[] = [];
  const log = createLog((line) => lines.push(line));
  // Time passes with the pauses, which last only a turn of the event loop.
  let nowMs = 0;
  const pause = async (ms: number) => {
    nowMs += ms;
    await Bun.sleep(1);
  };
  const settings = { ...SETTINGS, poll_interval: 0.2, include_shells: true };
  const { hub, poller, queue, guarded } = await watching(
    stage.provider,
    { clock: new FakeClock(), log, settings: () => settings },
    { pause, nowMs: () => nowMs },
  );
  const only = () => {
    const [pane] = hub.current.panes;
    if (!pane || hub.current.panes.length !== 1) throw new Error("not one pane is published");
    return pane;
  };
  return {
    ...stage,
    ...{ hub, poller, guarded, pane, only, log: lines, nowMs: () => nowMs },
    async sees(condition) {
      while (!condition(hub.current.panes)) await poller.pass();
      return hub.current.panes;
    },
    async ask(request) {
      const pane = request.id === undefined ? only() : null;
      const input: InputRequest = {
        id: pane?.id ?? "",
        operation: "text",
        expected: pane?.action_guard ?? { endpoint_revision: "none" },
        idempotency_key: crypto.randomUUID(),
        ...request,
      };
      try {
        await guarded.act(input, CLIENT);
        return "accepted";
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        const conflict = Conflict.safeParse(error.detail);
        if (error.kind === "conflict" && conflict.success) return conflict.data;
        const { detail } = error;
        const hasReason = typeof detail === "object" && detail !== null && "reason" in detail;
        return { status: error.kind, reason: hasReason ? String(detail.reason) : error.message };
      }
    },
    async [Symbol.asyncDispose]() {
      await queue.stop();
      await poller.stop();
      await stage[Symbol.asyncDispose]();
    },
  };
}

const RULE = "─".repeat(60);

/**
 * A permission dialog of the first agent, as its detection buffer shows it. The mark above it blinks
 * every 0.6 s for as long as the dialog stands.
 */
export function permission(question: string, focused = 1, mark: "●" | " " = "●"): string {
  const option = (number: number, label: string) =>
    `${number === focused ? " ❯" : "  "} ${number}. ${label}`;
  return [
    `${mark} Bash(touch made)`,
    "  ⎿  Running…",
    "",
    RULE,
    " Bash command",
    "",
    "   touch made",
    "   Make a file",
    "",
    ` ${question}`,
    option(1, "Yes"),
    option(2, "Yes, and don't ask again for touch commands"),
    option(3, "No, and tell Claude what to do differently (esc)"),
    "",
    " Esc to cancel · Tab to amend",
  ].join("\n");
}

/** An idle input line of the first agent with a draft. */
export function composer(draft = ""): string {
  return ["● Done.", "", RULE, `❯ ${draft}`.trimEnd(), RULE, "  ? for shortcuts"].join("\n");
}

const SPINNER = ["✢", "✳", "✶", "✻"];

/** The first agent at work: each frame moves its spinner and its clock. */
export function working(frame: number): string {
  const mark = SPINNER[frame % SPINNER.length];
  return [
    "● Bash(make)",
    "  ⎿  Running…",
    "",
    `${mark} Cogitating… (${frame}s · ↓ ${frame * 7} tokens · esc to interrupt)`,
    "",
    RULE,
    "❯",
    RULE,
    "  ? for shortcuts",
  ].join("\n");
}

export function runAgent(stage: WspStage, screen: string, raw: RawState = "idle"): Pane {
  const pane = stage.open();
  stage.world.startAgent(pane, "claude", raw);
  pane.screen.show(screen);
  return pane;
}
