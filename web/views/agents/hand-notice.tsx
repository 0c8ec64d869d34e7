import type { ComponentChildren, JSX } from "preact";
import type { HandStep } from "../../state/server/agents/hands.ts";
import { binding as words, refusalText } from "../../words/binding.ts";
import { Notice } from "../../ui/notice.tsx";

/** What was attempted and why it does not hold. */
export function HandNotice(props: {
  readonly step: HandStep | null;
  /** What to do now. */
  readonly children?: ComponentChildren;
}): JSX.Element | null {
  const { step, children } = props;
  if (step === null || step.step === "sending") return null;
  const isDoubt = step.step === "lost";
  return (
    <Notice
      icon={isDoubt ? "info" : "warning"}
      tone={isDoubt ? "stale" : "error"}
      title={handTitle(step)}
      isAlert
    >
      {handText(step)}
      {children}
    </Notice>
  );
}

type Ended = Exclude<HandStep, { step: "sending" }>;

const handTitle = ({ step, act }: Ended): string => words[step][act];

function handText(step: Ended): string {
  if (step.step === "lost") return words.lostText;
  return step.step === "gone" ? "" : refusalText(step.reason);
}

/** The same in one line. */
export const handSentence = (step: Ended): string =>
  [handTitle(step), handText(step)].filter((text) => text !== "").join(". ");
