import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Changes } from "../../../src/protocol/changes.ts";
import { MAX_MESSAGE, remarksMessage, sortedRemarks, type Remark } from "../../model/changes.ts";
import { composeProblem } from "../../model/compose.ts";
import { canWrite, waits, type Pane } from "../../model/pane.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { ChangesPart } from "../../state/server/changes.ts";
import { Waiting } from "../../state/server/waiting.ts";
import { Button } from "../../ui/button.tsx";
import { changes as words } from "../../words/changes.ts";
import { useSteadyPrompt } from "../answer/steady.ts";
import { Confirm } from "../parts/sheet.tsx";
import { TerminalText } from "../parts/text.tsx";

/** What was remarked in the work tree of a pane, and how it would be said. */
function useRemarks(id: string, changes: Changes | null) {
  const part = usePart(ChangesPart);
  const place = changes === null ? null : part.placeOf(id, changes);
  const kept: readonly Remark[] = place === null ? [] : part.remarks.of(place).value;
  const remarks = changes === null ? kept : sortedRemarks(kept, changes.files);
  const forget = () => {
    if (place !== null) part.remarks.remove(place, new Set(kept.map((one) => one.id)));
  };
  return { remarks, forget };
}

/** Below files and lines, while there is a remark. */
export function SendBar(props: {
  readonly id: string;
  readonly changes: Changes;
  readonly hasHint: boolean;
}): JSX.Element | null {
  const { id, changes, hasHint } = props;
  const { router } = useBrowser();
  const { remarks } = useRemarks(id, changes);
  const n = remarks.length;
  if (n === 0 && !hasHint) return null;
  return (
    <footer class="changes-foot" data-acts>
      {hasHint && <p class="hint">{words.hint}</p>}
      {n > 0 && (
        <div class="changes-acts">
          <Button size="block" onClick={() => router.show("discard-remarks", id)}>
            {words.discard}
          </Button>
          <Button
            tone="primary"
            size="block"
            data-send
            onClick={() => router.show("send-remarks", id)}
          >
            {words.send(n)}
          </Button>
        </div>
      )}
    </footer>
  );
}

export function DiscardRemarks({ pane }: { readonly pane: Pane }): JSX.Element {
  const { router } = useBrowser();
  const part = usePart(ChangesPart);
  const { remarks, forget } = useRemarks(pane.id, part.list(pane.id).value.value);
  const discard = () => {
    forget();
    router.close();
  };
  return (
    <Confirm
      title={words.discardTitle(remarks.length)}
      act={{ label: words.discard, onPress: discard, isDanger: true }}
    >
      <p class="page-text">{words.discardText}</p>
    </Confirm>
  );
}

/** The one message as it would be typed in; only then it goes, by the way of the pane's composer. */
export function SendRemarks({ pane }: { readonly pane: Pane }): JSX.Element {
  const { router, messages, clock } = useBrowser();
  const part = usePart(ChangesPart);
  const { remarks, forget } = useRemarks(pane.id, part.list(pane.id).value.value);
  const steady = useSteadyPrompt(pane);
  const [problem, setProblem] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const message = remarksMessage(remarks);
  const waiting = usePart(Waiting);
  const mayWait = waiting.keeps(pane);
  const obstacle = useObstacle(pane, message, mayWait);
  const send = async () => {
    setSending(true);
    const press = { shown: pane, pressedAt: clock.monotonicMs(), steadySince: steady.since() };
    const delivery = await waiting.sendOrAdd(press, message);
    setSending(false);
    if (delivery.step !== "sent" && delivery.step !== "added")
      return setProblem(problemOf(delivery));
    forget();
    router.close();
    messages.say(delivery.step === "added" ? words.added : words.sent);
  };
  return (
    <Confirm
      title={words.send(remarks.length)}
      act={{
        label: words.send(remarks.length),
        onPress: () => void send(),
        isOff: isSending || obstacle !== null || remarks.length === 0,
      }}
    >
      <p class="page-text">
        <TerminalText text={words.sendText(pane.name)} />
      </p>
      <pre class="remark-message" dir="auto" tabIndex={0}>
        <TerminalText text={message} />
      </pre>
      {mayWait && obstacle === null && <p class="hint">{words.goesLater}</p>}
      {(problem ?? obstacle) !== null && (
        <p class="hint" role="alert">
          {problem ?? obstacle}
        </p>
      )}
    </Confirm>
  );
}

/** Why nothing can leave now. */
function useObstacle(pane: Pane, message: string, mayWait: boolean): string | null {
  const server = useServer();
  const { gate } = server;
  if (waits(pane)) return words.notSent.asks;
  if (pane.status === "working" && !mayWait) return words.notSent.working;
  if (gate.isDoubted(pane.id)) return words.notSent.uncertain;
  if (!canWrite(pane) || !server.can("type") || pane.agent === null) return words.notSent.off;
  if (composeProblem(pane, message)?.kind === "one_line") return words.notSent.oneLine;
  return message.length > MAX_MESSAGE ? words.notSent.tooLong(message.length) : null;
}

type Unsent = Exclude<Awaited<ReturnType<Waiting["sendOrAdd"]>>, { step: "sent" | "added" }>;

function problemOf(delivery: Unsent): string {
  if (delivery.step === "uncertain") return words.notSent.uncertain;
  if (delivery.step === "prompt_changed") return words.notSent.changed;
  return words.notSent.refused(delivery.step === "refused" ? delivery.reason : "");
}
