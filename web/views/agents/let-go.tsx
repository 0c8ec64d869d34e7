import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { SeenAgent } from "../../../src/protocol/tolerant-agents.ts";
import type { Client } from "../../state/client.ts";
import { useClient } from "../../state/client.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { Button } from "../../ui/button.tsx";
import { Sheet } from "../../ui/sheet.tsx";
import { binding as words } from "../../words/binding.ts";
import { common } from "../../words/common.ts";
import { useWatch } from "../review/use.ts";
import { handSentence, HandNotice } from "./hand-notice.tsx";
import type { SessionProps } from "./sheets.tsx";

/** Nothing is lost by it: it can be taken back by choosing the pane again. */
export const mayLetGo = (workspace: Workspace, agent: SeenAgent): boolean =>
  !isSendingTo(workspace, agent) &&
  workspace.planned.heldFor(workspace.decisionsOf(agent.id)) === 0;

function isSendingTo(workspace: Workspace, { pane_id }: SeenAgent): boolean {
  if (workspace.planned.sending.isUnderWay) return true;
  const { gate } = workspace;
  return pane_id !== null && gate.isHeld(pane_id) && !gate.isDoubted(pane_id);
}

/** Lets go at once, and says how it went. */
export async function letGo(
  { browser: { messages } }: Client,
  { hands }: Workspace,
  agent: SeenAgent,
): Promise<void> {
  if (await hands.release(agent)) return messages.say(words.released);
  const step = hands.of(agent.id).peek();
  if (step !== null && step.step !== "sending") messages.alert(handSentence(step));
}

/** Asks where letting go takes something with it. */
export function LetGo({ workspace, state, agent }: SessionProps): JSX.Element {
  const client = useClient();
  const { router } = client.browser;
  const { hands, planned } = workspace;
  useWatch(state.decisions);
  useEffect(() => hands.dismiss(agent.id), []);
  const step = hands.of(agent.id).value;
  const held = planned.heldFor(workspace.decisionsOf(agent.id));
  const isSending = isSendingTo(workspace, agent);
  const isOnItsWay = step?.step === "sending";
  const isBound = agent.association === "confirmed";
  useEffect(() => {
    if (!isBound && !isOnItsWay) router.close();
  }, [isBound, isOnItsWay]);
  const release = async () => {
    if (await hands.release(agent)) client.browser.messages.say(words.released);
  };
  return (
    <Sheet
      title={words.releaseTitle}
      closeLabel={common.close}
      onClose={() => router.close()}
      footer={
        <div class="sheet-buttons">
          <Button
            tone="primary"
            size="block"
            disabled={isSending || isOnItsWay}
            onClick={() => void release()}
          >
            {isOnItsWay ? words.releasing : words.release}
          </Button>
          <Button size="block" onClick={() => router.close()}>
            {words.keep}
          </Button>
        </div>
      }
    >
      <p class="page-text">{words.releaseText}</p>
      {held > 0 && <p class="page-text">{words.releasePlanned(held)}</p>}
      {isSending && (
        <p class="page-text" role="status">
          {words.releaseUnderWay}
        </p>
      )}
      <HandNotice step={step} />
    </Sheet>
  );
}
