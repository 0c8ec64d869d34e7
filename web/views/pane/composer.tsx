import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Answer } from "../../model/answer.ts";
import {
  composeProblem,
  joinLines,
  MESSAGE_LIMIT,
  type Problem,
  isImage,
} from "../../model/compose.ts";
import { messageOf } from "../../model/drafts.ts";
import { SHIELD_MS, signatureOf } from "../../model/guard.ts";
import { asks, canWrite, isAgent, waits, type Pane } from "../../model/pane.ts";
import { cleanInput } from "../../model/text.ts";
import { useClient, usePart } from "../../state/client.ts";
import { Attachments } from "../../state/server/attachments.ts";
import { WaitingMessages } from "../../state/server/waiting.ts";
import { Button, IconButton, Icon } from "../../ui/button.tsx";
import { count } from "../../words/common.ts";
import { notSent } from "../../words/refusals.ts";
import { useSteadyPrompt, usePress } from "../answer/press.ts";
import { AttachmentChips, Insert } from "./insert.tsx";
import { WriteText } from "../parts/write-text.tsx";
import { notChanged } from "../waiting/dock.tsx";
import { leadFocus } from "../../ui/focus.ts";

/** Writes to the pane. The text is a draft until the server has taken it. */
export function Composer({ pane }: { readonly pane: Pane }): JSX.Element {
  const client = useClient();
  const server = client.server;
  const { answers, drafts, outbox } = server;
  const attachments = usePart(Attachments);
  const waiting = usePart(WaitingMessages);
  const steadySince = useSteadyPrompt(pane);
  const field = useRef<HTMLTextAreaElement>(null);
  const [isInserting, setInserting] = useState(false);
  const [removed, setRemoved] = useState(0);
  /** When a first tap showed a warning; a second one on the same text and prompt sends. Monotonic ms. */
  const [warnedAt, setWarnedAt] = useState<number | null>(null);
  const [isDropping, setDropping] = useState(false);
  const draft = drafts.of(pane).value;
  const { text } = draft;
  const message = messageOf(draft);
  const isUploading = attachments.of(pane).value.some(({ step }) => step !== "failed");
  const delivery = answers.inputOutcome(pane.id);
  const isDoubted = outbox.isDoubted(pane.id);
  const isOff = !canWrite(pane) || !server.can("type") || isDoubted;
  const isSending = delivery.value?.step === "sending";
  const keeps = waiting.mustQueue(pane);
  const problem = composeProblem(pane, message, keeps);
  const hasRemarks = draft.remarks.length > 0;
  useEffect(() => setWarnedAt(null), [signatureOf(pane), message]);
  useEffect(() => waiting.followEdits(pane), [waiting.lists.value, draft.edits]);
  const untaken = waiting.failedAdd.value?.paneId === pane.id ? waiting.failedAdd.value.why : null;

  const write = (value: string) => {
    const clean = cleanInput(value);
    setRemoved(clean.removed);
    waiting.forgetFailedAdd(pane.id);
    answers.inputOutcome(pane.id).value = null;
    drafts.set(pane, { text: clean.text });
  };
  /** What is on the screen when the press begins. */
  const see = () => ({ seen: pane, pressed: drafts.of(pane).peek() });
  const send = async ({ seen, pressed }: ReturnType<typeof see>, pressedAt: number) => {
    const written = messageOf(pressed);
    // Another tab may have changed the draft.
    if (messageOf(drafts.of(seen).peek()) !== written) return;
    if (written === "" || isOff || isSending || isUploading) return;
    const seenProblem = composeProblem(seen, written, waiting.mustQueue(seen));
    if (seenProblem?.isFinal === true) return;
    // Remarks can answer the prompt, or wait behind it: the sheet asks which.
    if (hasRemarks && asks(seen)) return showRemarks();
    if (seenProblem !== null && warnedAt === null) return setWarnedAt(performance.now());
    // The second half of a double tap has not read the warning.
    if (warnedAt !== null && pressedAt - warnedAt < SHIELD_MS) return;
    setWarnedAt(null);
    const press = { shown: seen, pressedAt, steadySince: steadySince() };
    const result = await waiting.sendOrAdd(press, written);
    if (result?.step !== "sent" && result?.step !== "added") return;
    drafts.sent(seen, pressed);
    setRemoved(0);
  };
  const press = usePress(see, (shown, pressedAt) => void send(shown, pressedAt));
  const showRemarks = () => client.browser.router.show("send-remarks", pane.id);
  const closeInsert = () => {
    setInserting(false);
    // The answers that the menu covered are under the finger now.
    client.browser.touch.shield();
  };
  const insert = (snippet: string) => {
    write(text === "" ? snippet : `${text}${text.endsWith("\n") ? "" : " "}${snippet}`);
    closeInsert();
    leadFocus(field.current);
  };
  const attach = (event: Event, files: FileList | undefined) => {
    const images = [...(files ?? [])].filter(isImage);
    if (images.length === 0) return;
    // Even where none is accepted: the browser would open a dropped image in place of the page.
    event.preventDefault();
    attachments.add(pane, images);
  };
  const isUnsure = isDoubted && answers.of(pane.id).value?.step !== "uncertain";
  const unsent = untaken ? notChanged(untaken) : outcomeWords(delivery.value);
  const failure = isUnsure ? UNSURE : unsent;
  const shownProblem = problem?.isFinal === true || warnedAt !== null ? problem : null;
  const isJoinable = failure === null && shownProblem?.kind === "one_line" && !hasRemarks;
  const hint = hintOf(shownProblem, message, isUploading, removed);
  return (
    <>
      <AttachmentChips pane={pane} />
      {hasRemarks && (
        <Button size="small" class="composer-note" onClick={showRemarks}>
          <Icon name="speech" class="small" />
          {count(draft.remarks.length, "remark", "remarks")}
        </Button>
      )}
      {failure !== null && (
        <p class="composer-note fs-13 text-error" role="alert">
          {failure}
          {isUnsure && (
            <Button size="small" onClick={() => client.inspect(pane.id)}>
              Inspect terminal
            </Button>
          )}
        </p>
      )}
      {isJoinable && (
        <p class="composer-note fs-13 text-2">
          This pane takes one line.{" "}
          <span class="grid anywhere text-3">{`Joined: ${joinLines(message)}`}</span>
          <Button size="small" onClick={() => write(joinLines(text))}>
            Join lines
          </Button>
        </p>
      )}
      {failure === null && !isJoinable && hint !== null && (
        <p class="composer-note fs-13 text-2" role="status">
          {hint}
        </p>
      )}
      <div
        class={`composer relative flex gap-4 ${isDropping ? "dropping" : ""}`}
        onKeyDown={(event) => {
          if (!isInserting || event.key !== "Escape") return;
          event.stopPropagation();
          closeInsert();
        }}
        // The menu covers the page, so it closes with the focus; not for a sheet that it opens, nor for a
        // press beside its rows, which gives the focus to an element around it.
        onFocusOut={({ currentTarget: own, relatedTarget: to }) => {
          const isNear = to instanceof Node && own.closest("main")?.contains(to) === true;
          if (isNear && !own.contains(to) && !to.contains(own)) setInserting(false);
        }}
        onDragOver={(event) => {
          if (event.dataTransfer?.types.includes("Files") !== true) return;
          event.preventDefault();
          setDropping(true);
        }}
        onDragLeave={() => setDropping(false)}
        onDrop={(event) => {
          setDropping(false);
          attach(event, event.dataTransfer?.files);
        }}
      >
        <IconButton
          icon={isInserting ? "close" : "plus"}
          label={isInserting ? "Close insert menu" : "Attach or insert"}
          aria-expanded={isInserting}
          class={isInserting ? "on" : ""}
          onClick={() => (isInserting ? closeInsert() : setInserting(true))}
        />
        {isInserting && <Insert pane={pane} onInsert={insert} onClose={closeInsert} />}
        <WriteText
          field={field}
          label={`Message ${pane.name}`}
          placeholder={pane.actionable ? placeholderOf(pane, keeps, hasRemarks) : "Input is off"}
          value={text}
          onInput={write}
          onSend={() => void send(see(), performance.now())}
          area={{
            rows: 1,
            "data-composer": pane.id,
            onPaste: (event) => {
              // A spreadsheet copies a cell as text and as a picture: the text is meant.
              const isText = event.clipboardData?.types.includes("text/plain") === true;
              if (!isText) attach(event, event.clipboardData?.files);
            },
          }}
        />
        <button
          type="button"
          class="send center rigid round"
          aria-label={keeps ? "Add to what it sends when it is free" : "Send"}
          disabled={
            isOff || isSending || isUploading || message === "" || problem?.isFinal === true
          }
          {...press}
        >
          <Icon name="send" />
        </button>
      </div>
    </>
  );
}

function placeholderOf(pane: Pane, keeps: boolean, hasRemarks: boolean): string {
  if (hasRemarks) return "Add a word, or just send them";
  const hasOthers = pane.queued !== null && pane.queued.count > 0;
  if (keeps) return hasOthers ? "Add a message" : "Sends when it is free";
  if (waits(pane) && !asks(pane)) return "Your answer";
  return isAgent(pane) ? `Message ${pane.name}` : `Type into ${pane.name}`;
}

const UNSURE = "This may not have arrived. Look at the terminal before you send anything again.";
const PROMPTED = "Not sent: a prompt has appeared. Answer it first. Your text is kept.";
const MOVED = "Not sent: the screen has just changed. Send it again.";

function outcomeWords(outcome: Answer | null): string | null {
  if (outcome?.step !== "refused") return null;
  const { reason } = outcome;
  if (reason === "moved") return MOVED;
  return /^((prompt|options)_)?changed$/.test(reason) ? PROMPTED : notSent(reason);
}

function hintOf(
  problem: Problem | null,
  text: string,
  isUploading: boolean,
  removed: number,
): string | null {
  if (isUploading && text !== "") return "An image is still on its way.";
  switch (problem?.kind) {
    case "one_line":
      return "This pane takes one line at a time, so remarks cannot be sent to it.";
    case "shell_lines":
      return `A shell runs each line. Tap again to send ${text.split("\n").length} lines.`;
    case "over_prompt":
      return "This pane is asking. Tap again to send the text to its prompt.";
    case "too_long":
      return `At most ${MESSAGE_LIMIT} characters.`;
  }
  if (removed === 0) return null;
  return `${count(removed, "control character was", "control characters were")} left out.`;
}
