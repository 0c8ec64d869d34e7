import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { CaseSaveRequest } from "../../../src/protocol/cases.ts";
import type { SeenCaseDraft } from "../../../src/protocol/tolerant-cases.ts";
import { blankedText, wordsOf, WrongScreen } from "../../state/server/wrong.ts";
import type { Pane } from "../../model/pane.ts";
import { cleanInput, visiblePieces } from "../../model/text.ts";
import { type Failure, reasonOf, sentenceOf } from "../../net/api.ts";
import { useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { common } from "../../words/common.ts";
import { TerminalText } from "../parts/text.tsx";
import { faultText, Part } from "./parts.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { Notice } from "../../ui/notice.tsx";

/** A screen that was read wrong: looked at, cleaned by hand, and saved on our own server. */
export function WrongSheet(props: {
  readonly pane: Pane;
  readonly onBack: () => void;
}): JSX.Element {
  const { pane, onBack } = props;
  const { api } = useServer();
  const [screen] = useState(
    () =>
      new WrongScreen({
        api,
        paneId: pane.id,
      }),
  );
  useEffect(() => void screen.look(), [screen]);
  const draft = screen.draft.value.value;
  const failure = screen.draft.failure.value;
  return (
    <Sheet
      title="This is wrong"
      back={{ label: "Back to why", onBack }}
      footer={<Footer screen={screen} />}
    >
      <p class="text-2">
        <TerminalText text={pane.name} />
      </p>
      {failure !== null && (
        <Notice tone="error" isAlert>
          {faultText("The screen was not taken", failure)}
        </Notice>
      )}
      {draft === null && failure === null && (
        <p class="page-text" role="status">
          Taking the screen
        </p>
      )}
      {draft !== null && <Look screen={screen} draft={draft} />}
    </Sheet>
  );
}

function Look(props: { readonly screen: WrongScreen; readonly draft: SeenCaseDraft }): JSX.Element {
  const { screen, draft } = props;
  const { title, command, process } = draft;
  const words = wordsOf(screen.blanked.value);
  const beside = [
    ["Title", title],
    ["Command", command],
    ["Process", process ?? ""],
  ].filter(([, text]) => text !== "");
  const saved = [
    ...beside.map(([name, text]) => `${name}: ${text}`),
    "",
    ...withoutEnd(draft.lines),
  ].join("\n");
  return (
    <>
      <p class="fs-13 text-2">
        This will be saved on the server, in a folder for you to look at, and sent nowhere.
      </p>
      <Part title="Blank out" end={String(words.length)}>
        <textarea
          class="text-box mono wrong-note"
          rows={3}
          dir="auto"
          autocapitalize="off"
          spellcheck={false}
          aria-label="Blank out"
          placeholder="Words and paths that nobody should see, one a line"
          value={screen.blanked.value}
          onInput={({ currentTarget }) => (screen.blanked.value = currentTarget.value)}
        />
        <p class="mt-4 fs-13 text-2">
          Each is blanked out wherever it stands. Upper and lower case differ.
        </p>
      </Part>
      <Part title="What will be saved">
        <textarea
          class="text-box mono wrong-saved fs-12"
          rows={12}
          dir="ltr"
          wrap="off"
          readOnly
          aria-label="What will be saved"
          value={visible(blankedText(saved, words))}
        />
      </Part>
      <Part title="What was read wrong">
        <div class="set">
          <label class="item">
            <span class="grow">What it really was</span>
            <StatusSelect screen={screen} />
          </label>
        </div>
        <textarea
          class="text-box wrong-note"
          rows={3}
          dir="auto"
          maxLength={MAX_NOTE_CHARS}
          aria-label="What was read wrong"
          placeholder="For whoever mends it. Saved too."
          value={screen.note.value}
          onInput={({ currentTarget }) => {
            screen.note.value = cleanInput(currentTarget.value).text;
          }}
        />
      </Part>
    </>
  );
}

/** Marks that turn or hide text are named, as everywhere on this page. */
const visible = (text: string): string =>
  text
    .split("\n")
    .map((line) =>
      visiblePieces(line)
        .map((piece) => ("mark" in piece ? `⟨${piece.mark}⟩` : piece.text))
        .join(""),
    )
    .join("\n");

const MAX_NOTE_CHARS = 2000;
const STATUSES = [
  "needs_input",
  "working",
  "idle",
  "error",
] as const satisfies readonly CaseSaveRequest["status"][];

function StatusSelect({ screen }: { readonly screen: WrongScreen }): JSX.Element {
  return (
    <select
      value={screen.status.value ?? ""}
      onChange={(event) => {
        const chosen = event.currentTarget.value;
        screen.status.value = STATUSES.find((one) => one === chosen) ?? null;
      }}
    >
      <option value="">I do not say</option>
      {STATUSES.map((status) => (
        <option key={status} value={status}>
          {common.status[status]}
        </option>
      ))}
    </select>
  );
}

function Footer({ screen }: { readonly screen: WrongScreen }): JSX.Element {
  const outcome = screen.outcome.value;
  if (outcome.step === "saved")
    return (
      <Notice tone="good" isStatus>
        Saved as {outcome.name}, in “cases” below the state directory of the server. Nothing was
        sent anywhere.
      </Notice>
    );
  const mustLook = screen.draft.failure.value !== null || isGone(outcome);
  return (
    <>
      {outcome.step === "failed" && (
        <Notice tone="error" isAlert>
          {failureText(outcome.failure)}
        </Notice>
      )}
      {mustLook ? (
        <Button
          size="block"
          disabled={screen.draft.isLoading.value}
          onClick={() => void screen.look()}
        >
          Take the screen again
        </Button>
      ) : (
        <Button
          tone="primary"
          size="block"
          disabled={screen.draft.value.value === null || outcome.step === "saving"}
          onClick={() => void screen.save()}
        >
          {outcome.step === "saving" ? "Saving" : "Save"}
        </Button>
      )}
    </>
  );
}

const isGone = (outcome: WrongScreen["outcome"]["value"]): boolean =>
  outcome.step === "failed" && reasonOf(outcome.failure) === "draft_gone";

function failureText(failure: Failure): string {
  const reason = reasonOf(failure);
  if (reason === "draft_gone")
    return "The server holds this screen no more: it was saved before, or it waited too long.";
  if (reason === "too_many_cases")
    return "Not saved: there are as many as the server keeps. Remove some there.";
  if (sentenceOf(failure) === "")
    return "The server did not answer. Saving again saves it only once.";
  return faultText("Not saved", failure);
}

/** Blank rows below the last text say nothing; they are saved all the same. */
const withoutEnd = (lines: readonly string[]): readonly string[] =>
  lines.slice(0, lines.findLastIndex((line) => line.trim() !== "") + 1);
