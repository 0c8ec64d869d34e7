import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { composeProblem } from "../../model/compose.ts";
import { type Draft, messageOf } from "../../model/drafts.ts";
import type { PressTimes } from "../../state/server/acts.ts";
import { asksForWords, canSelect, canWrite, waits, type Pane } from "../../model/pane.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { WaitingMessages } from "../../state/server/waiting.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { count } from "../../words/common.ts";
import { reasonText } from "../../words/refusals.ts";
import { usePress, useSteadyPrompt } from "../answer/press.ts";
import { warningFor } from "../answer/option.tsx";
import { Confirm, Sheet } from "../parts/sheet.tsx";
import { TerminalText } from "../parts/text.tsx";
import { RemarkList } from "./remarks.tsx";

interface About {
  readonly pane: Pane;
}

export function DiscardRemarks({ pane }: About): JSX.Element {
  const { router } = useBrowser();
  const { drafts } = useServer();
  const { remarks } = drafts.of(pane).value;
  const discard = () => {
    drafts.sent(pane, { remarks });
    router.close();
  };
  return (
    <Confirm
      title={`Discard ${count(remarks.length, "remark", "remarks")}?`}
      act={{ label: "Discard", onPress: discard, isDanger: true }}
    >
      <p class="page-text">They are in this browser alone.</p>
    </Confirm>
  );
}

/** While something is asked the remarks can wait behind the answer, or be part of it. */
export function SendRemarks({ pane }: About): JSX.Element {
  const { preferences, router } = useBrowser();
  const { acts, canAnswer, drafts } = useServer();
  const waiting = usePart(WaitingMessages);
  const [problem, setProblem] = useState<string | null>(null);
  const draft = drafts.of(pane).value;
  const why = useObstacle(pane, draft);
  const n = draft.remarks.length;
  const isOff = why !== null || n === 0;
  const keeps = waiting.mustQueue(pane);
  const no = pane.menu.find(
    (one) =>
      one.declines === true &&
      asksForWords(pane, one) &&
      canSelect(pane, one) &&
      // An option with a warning is answered on its card.
      warningFor(preferences.current.value, pane, one) === null,
  );
  return (
    <Sheet title={`Send ${count(n, "remark", "remarks")}`}>
      <div class="stack gap-8">
        {waits(pane) && (
          <Notice tone="needs">
            <TerminalText text={`It asks: ${pane.question ?? pane.name}`} />
          </Notice>
        )}
        <RemarkList remarks={draft.remarks} />
        {draft.text !== "" && (
          <p class="page-text lines" dir="auto">
            {draft.text}
          </p>
        )}
        {(problem ?? why) !== null && (
          <p class="text-error fs-13" role="alert">
            {problem ?? why}
          </p>
        )}
        <SendButton
          {...{ pane, draft }}
          tone="primary"
          label={keeps || waits(pane) ? "Send when it is free" : "Send"}
          isOff={isOff || (waits(pane) && !keeps)}
          // As the composer does: at once, or when its agent is free.
          send={(shown, text, times) => waiting.sendOrAdd({ ...times, shown }, text)}
          onProblem={setProblem}
        />
        {waits(pane) && (
          <small class="centred text-2">
            {keeps
              ? "Its question stays. They go as one message after your answer."
              : "This pane keeps no messages. Answer its question first."}
          </small>
        )}
        {no !== undefined && (
          <>
            <SendButton
              {...{ pane, draft }}
              label="No, with these remarks"
              isOff={isOff || !canAnswer.value}
              // Under the guard of that option.
              send={(shown, text, times) =>
                acts.answer({ ...times, shown, option: no, text, label: text })
              }
              onProblem={setProblem}
            />
            <small class="centred text-2">
              Answers “
              <TerminalText text={`${no.key} ${no.label}`} />” with them, now.
            </small>
          </>
        )}
        <Button size="block" onClick={() => router.show("discard-remarks", pane.id)}>
          Discard
        </Button>
      </div>
    </Sheet>
  );
}

type Outcome = Awaited<ReturnType<WaitingMessages["sendOrAdd"]>>;

/** Sends the remarks that were on the screen when the press began, and no others. */
function SendButton(props: {
  readonly pane: Pane;
  readonly draft: Draft;
  readonly label: string;
  readonly tone?: "primary";
  readonly isOff: boolean;
  readonly send: (pane: Pane, text: string, times: PressTimes) => Promise<Outcome>;
  readonly onProblem: (why: string) => void;
}): JSX.Element {
  const { pane, draft, label, tone, isOff, send, onProblem } = props;
  const { messages, router } = useBrowser();
  const { drafts } = useServer();
  const steadySince = useSteadyPrompt(pane);
  const press = usePress(
    () => ({ pane, draft, send }),
    async (seen, pressedAt) => {
      const times = { pressedAt, steadySince: steadySince() };
      const here = router.here();
      const outcome = await seen.send(seen.pane, messageOf(seen.draft), times);
      const step = outcome?.step;
      if (step !== "sent" && step !== "added") return onProblem(unsentWords(outcome));
      drafts.sent(seen.pane, seen.draft);
      here(() => router.close());
      messages.say(step === "added" ? "They go when it is free." : "Remarks sent.");
    },
  );
  return (
    <Button tone={tone} size="block" disabled={isOff} {...press}>
      {label}
    </Button>
  );
}

function useObstacle(pane: Pane, draft: Draft): string | null {
  const server = useServer();
  const message = messageOf(draft);
  if (server.outbox.isDoubted(pane.id)) return IN_DOUBT;
  if (!canWrite(pane) || !server.can("type")) return "Nothing can be sent to it now.";
  const problem = composeProblem(pane, message, true)?.kind;
  if (problem === "one_line")
    return "This pane takes one line at a time, so remarks cannot be sent to it.";
  if (problem !== "too_long") return null;
  return `Together they have ${message.length} characters; at most 8,000 can be sent at once.`;
}

const IN_DOUBT = "They may have arrived. Look at its terminal.";

function unsentWords(outcome: Outcome): string {
  if (outcome?.step === "uncertain") return IN_DOUBT;
  const reason = outcome?.step === "refused" ? outcome.reason : "";
  if (["changed", "moved", "prompt_changed"].includes(reason))
    return "Its screen has just changed. Nothing was sent.";
  return reason === "" ? "Nothing was sent." : `Nothing was sent: ${reasonText(reason)}`;
}
