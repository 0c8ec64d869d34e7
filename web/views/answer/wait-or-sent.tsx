import type { JSX } from "preact";
import type { Answer } from "../../model/answer.ts";
import type { Pane } from "../../model/pane.ts";
import { StatusIcon } from "../../ui/icons.tsx";
import { answer as words } from "../../words/queue.ts";
import { Wait } from "../parts/wait.tsx";

/** How long a prompt waits, or how far its answer has come. */
export function WaitOrSent(props: {
  readonly pane: Pane;
  readonly answer: Answer | null;
  readonly worded?: boolean;
}): JSX.Element {
  const { pane, answer, worded = false } = props;
  if (answer?.step === "sending") return <span class="wait">{words.sending}</span>;
  if (answer?.step !== "sent") return <Wait pane={pane} worded={worded} />;
  return (
    <span class="wait ok" role="status">
      <StatusIcon shape="ok" />
      {words.sent}
    </span>
  );
}
