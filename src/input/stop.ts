import { stopKey } from "../detect/agents.ts";
import type { StopRequest } from "../protocol/queue.ts";
import { type PaneReading, noSuchPane } from "../terminal/reading.ts";
import type { ActionQueue } from "./action-queue.ts";
import type { Client } from "./client.ts";
import type { Accept, PaneTurn } from "./pane-turn.ts";
import { refusal, requireLegacy } from "./refusals.ts";

/** A program that needs a second Esc says so: at once, or a second later on a busy machine. */
const ASKS_AGAIN = /\besc\b.{0,20}\bagain\b|\bagain\b.{0,20}\besc\b/i;
const SECOND_WITHIN_MS = 1500;
const LOOK_AGAIN_MS = 100;

/** Sends the stop key of the agent, and only while its screen shows that it works. @throws AppError */
export async function stopAgent(
  queue: ActionQueue,
  { id, idempotency_key: key }: StopRequest,
  client: Client,
): Promise<void> {
  const state = queue.publishedState(id);
  const label = stopKey(state?.agent ?? null);
  const act = { kind: "stop", input: { label }, client, key } as const;
  await queue.runOnce(id, act, { operation: "stop", id }, async () => {
    const listed = queue.find(id);
    if (!listed) throw noSuchPane(id);
    requireLegacy(listed.capabilities.input);
    await queue.run({ id: listed.id, listed }, act, (turn) => press(turn, label));
  });
}

async function press(turn: PaneTurn, key: string): Promise<void> {
  const step = { do: "key", key } as const;
  const stopsAt = (now: PaneReading) => isWorking(now) && stopKey(now.state.agent) === key;
  await turn.send([step], acceptWhere(stopsAt));
  // Any other stop key, sent twice, may end the program.
  if (key !== "Escape") return;
  for (let waitedMs = 0; waitedMs < SECOND_WITHIN_MS; waitedMs += LOOK_AGAIN_MS) {
    await turn.pause(LOOK_AGAIN_MS);
    // The first key was delivered, also where the pane cannot be read any more.
    const now = await turn.read().catch(() => null);
    if (!now || !isWorking(now)) return;
    if (asksAgain(now))
      return void (await turn.send([step], acceptWhere(asksAgain)).catch(() => undefined));
  }
}

const acceptWhere =
  (fits: (now: PaneReading) => boolean): Accept =>
  (now) => {
    if (!fits(now)) throw refusal("not_working", "it does not work any more");
    return null;
  };

/** Only for the turn that is being stopped, not for the agent's next one. */
function asksAgain(now: PaneReading): boolean {
  return isWorking(now) && now.screen.lines.slice(-6).some(({ text }) => ASKS_AGAIN.test(text));
}

function isWorking({ state, prompt, finding }: PaneReading): boolean {
  const isAgent = state.agent !== null && state.kind !== "shell";
  return isAgent && state.status === "working" && prompt === null && !finding.keepsPrevious;
}
