import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import {
  MAX_REMARK,
  sortedRemarks,
  type Remark,
  type Draft,
  messageOf,
} from "../../model/drafts.ts";
import { useServer, useBrowser, usePart } from "../../state/client.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { giveFocus } from "../../ui/focus.ts";
import { common, count } from "../../words/common.ts";
import { usePane } from "../parts/derived.ts";
import { TerminalText } from "../parts/text.tsx";
import { WriteText } from "../parts/write-text.tsx";
import { composeProblem } from "../../model/compose.ts";
import type { PressTimes } from "../../state/server/acts.ts";
import { asksForWords, canSelect, canWrite, waits, type Pane } from "../../model/pane.ts";
import { WaitingMessages } from "../../state/server/waiting.ts";
import { Notice } from "../../ui/notice.tsx";
import { notSent } from "../../words/refusals.ts";
import { usePress, useSteadyPrompt } from "../answer/press.ts";
import { warningFor } from "../answer/option.tsx";
import { Confirm, Sheet } from "../parts/sheet.tsx";

/** Remarks on the lines of one work tree are part of the draft of its pane. */
export interface Remarks {
  readonly all: readonly Remark[];
  /** The one that is being written. It outlives its line, its file and the page that shows them. */
  readonly writing: Remark | null;
  readonly write: (remark: Remark | null) => void;
  /** Adds it, or replaces the one with its id, and ends the writing. */
  readonly keep: (remark: Remark) => void;
  readonly remove: (remark: Remark) => void;
}

/** `top` is null where the work tree is not known yet. */
export function useRemarks(paneId: string, top: string | null): Remarks {
  const { drafts } = useServer();
  const pane = usePane(paneId).value;
  const { remarks = [], writing = null } = pane === null ? {} : drafts.of(pane).value;
  const set = (change: Parameters<typeof drafts.set>[1]) => {
    if (pane !== null) drafts.set(pane, change);
  };
  const without = ({ id }: Remark) => remarks.filter((one) => one.id !== id);
  return {
    all: remarks.filter((one) => one.top === top),
    writing: writing?.top === top ? writing : null,
    write: (remark) => set({ writing: remark }),
    keep: (remark) => {
      const at = remarks.findIndex(({ id }) => id === remark.id);
      const kept = at < 0 ? [...remarks, remark] : remarks.with(at, remark);
      set({ remarks: kept, writing: null });
    },
    remove: (remark) => set({ remarks: without(remark) }),
  };
}

/** Below its line. Without `onEdit` its line has changed, and is named. */
export function RemarkBox(props: {
  readonly remark: Remark;
  readonly onEdit?: () => void;
  readonly onRemove: () => void;
}): JSX.Element {
  const { remark, onEdit, onRemove } = props;
  return (
    <div class="remark flex gap-4 accent-tint">
      <p class="grow">
        {onEdit === undefined && (
          <span class="grid fs-12 text-2">
            The line has changed: {`Line ${remark.line}`},{" "}
            <TerminalText text={remark.text.trim()} class="mono" />
          </span>
        )}
        <span class="lines" dir="auto">
          {remark.words}
        </span>
      </p>
      {onEdit !== undefined && <IconButton icon="pencil" label="Edit" onClick={onEdit} />}
      <IconButton icon="trash" label="Delete" onClick={onRemove} />
    </div>
  );
}

/** Without `onMove` its line has changed. */
export function RemarkField(props: {
  readonly remarks: Remarks;
  readonly remark: Remark;
  readonly onMove?: (step: number) => void;
  readonly onDone?: () => void;
}): JSX.Element {
  const { remarks, remark, onMove, onDone } = props;
  const words = remark.words.trim();
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => giveFocus(field.current, field.current?.closest(".diff")), []);
  const cancel = () => {
    remarks.write(null);
    onDone?.();
  };
  const keep = () => {
    if (words === "") return;
    remarks.keep({ ...remark, words });
    onDone?.();
  };
  return (
    <div class="remark-field surface">
      <div class="flex">
        <b class="grow numbers">
          {onMove === undefined && "The line has changed: "}
          {`Line ${remark.line}`}
        </b>
        {onMove !== undefined && (
          <>
            <IconButton icon="up" label="The line above" onClick={() => onMove(-1)} />
            <IconButton icon="down" label="The line below" onClick={() => onMove(1)} />
          </>
        )}
      </div>
      <WriteText
        field={field}
        label="Your remark"
        value={remark.words}
        onInput={(written) => remarks.write({ ...remark, words: written })}
        onSend={keep}
        onEscape={cancel}
        area={{ maxLength: MAX_REMARK }}
      />
      <div class="actions">
        <Button onClick={cancel}>{common.cancel}</Button>
        <Button tone="primary" disabled={words === ""} onClick={keep}>
          {remarks.all.some(({ id }) => id === remark.id) ? "Save" : "Add"}
        </Button>
      </div>
    </div>
  );
}

export function RemarkList({ remarks }: { readonly remarks: readonly Remark[] }): JSX.Element {
  return (
    <ul class="remark-list ruled">
      {sortedRemarks(remarks).map(({ id, path, line, words }) => (
        <li key={id}>
          <span class="grid fs-12 mono text-2">
            <TerminalText text={`${path}:${line}`} />
          </span>
          <span class="lines" dir="auto">
            {words}
          </span>
        </li>
      ))}
    </ul>
  );
}

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
      act={{ label: "Discard", onPress: discard }}
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
  return notSent(outcome?.step === "refused" ? outcome.reason : "");
}
