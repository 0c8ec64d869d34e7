import type { JSX } from "preact";
import { agentOf, type Section } from "../../model/queue/entry.ts";
import type { Slot } from "../../model/queue/order.ts";
import { useServer } from "../../state/client.ts";
import { CollectBar, CollectSwitch } from "../later.tsx";
import { Boundary } from "../parts/boundary.tsx";
import { useDerived } from "../parts/derived.ts";

/** By its pane, else by its agent. */
export const idOf = ({ key, paneId }: Pick<Slot, "key" | "paneId">): string =>
  paneId ?? agentOf(key) ?? "";

/** Whether the answer of a card is chosen ahead, or on its way with others. */
export function useStaged(
  slot: Pick<Slot, "key" | "paneId">,
  section: Section,
): "sending" | "choosing" | null {
  const { collecting } = useServer().queue;
  const id = idOf(slot);
  const isSending = useDerived(() => collecting.cards.value.has(id), [id]);
  if (isSending) return "sending";
  return collecting.isOn.value && section === "waiting" ? "choosing" : null;
}

/** Answer now, or collect: in the head of the queue, once there is something to collect. */
export function Mode(): JSX.Element | null {
  const server = useServer();
  if (!server.queue.collecting.isOffered.value || !server.may("answer")) return null;
  // Its room is there from the first drawing on: a card that moves takes no answer.
  return (
    <div class="mode">
      <Boundary instead={() => <></>}>
        <CollectSwitch />
      </Boundary>
    </div>
  );
}

/** Below the queue while anything is chosen, sent, or about to be chosen. */
export function StagedBar(): JSX.Element | null {
  const server = useServer();
  const { cards, hasChoices, isOn } = server.queue.collecting;
  if (!server.may("answer")) return null;
  return isOn.value || hasChoices.value || cards.value.size > 0 ? <CollectBar /> : null;
}
