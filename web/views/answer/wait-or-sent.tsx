import type { JSX } from "preact";
import type { Answer } from "../../model/answer.ts";
import { holdsAnswers } from "../../model/attempt.ts";
import type { Pane } from "../../model/pane.ts";
import { Wait } from "../parts/wait.tsx";

/** How long a prompt waits; calm once it is answered. */
export function WaitOrSent(props: {
  readonly pane: Pane;
  readonly answer: Answer | null;
  readonly worded?: boolean;
}): JSX.Element {
  const { answer, ...rest } = props;
  return <Wait {...rest} isCalm={holdsAnswers(answer)} />;
}
