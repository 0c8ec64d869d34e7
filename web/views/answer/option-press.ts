import { useState } from "preact/hooks";
import { holdsAnswers, type Attempt } from "../../model/attempt.ts";
import { usePress } from "./press.ts";

/** How an option stands: to be taken, taken once, on its way, or beside one that is. */
export type OptionState = "on" | "off" | "armed" | "sending" | "faded";

export function optionState<Sent>(
  attempt: Attempt<Sent> | null,
  isChosen: (sent: Sent) => boolean,
  { isOn, isArmed }: { readonly isOn: boolean; readonly isArmed: boolean },
): OptionState {
  if (holdsAnswers(attempt)) return isChosen(attempt.sent) ? "sending" : "faded";
  if (!isOn) return "off";
  return isArmed ? "armed" : "on";
}

/** A press of an option; where a tap asks first, it arms, and only the next one sends. */
export function useOptionPress<Seen>(props: {
  readonly see: () => Seen;
  readonly state: OptionState;
  readonly asksFirst: boolean;
  readonly holds: boolean;
  readonly onArm: (seen: Seen, pressedAt: number) => void;
  readonly onConfirm: (seen: Seen, pressedAt: number) => void;
  readonly onSend: (seen: Seen, pressedAt: number) => void;
}) {
  const { see, state, asksFirst, holds, onArm, onConfirm, onSend } = props;
  const [isHolding, setHolding] = useState(false);
  const isOn = state === "on" || state === "armed";
  const press = usePress<Seen>({
    see,
    release: (seen, pressedAt) => {
      if (!isOn) return;
      if (!asksFirst) onSend(seen, pressedAt);
      else if (state === "armed") onConfirm(seen, pressedAt);
      else onArm(seen, pressedAt);
    },
    holds,
    onHolding: setHolding,
  });
  return { isOn, isHolding, press: isOn ? press : {} };
}
