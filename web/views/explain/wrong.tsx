import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { blankRuns } from "../../../src/protocol/blank.ts";
import type { CaseSaved } from "../../../src/protocol/explain.ts";
import { readCaseDraft, type SeenCaseDraft } from "../../../src/protocol/tolerant-later.ts";
import type { Pane } from "../../model/pane.ts";
import { cleanInput, visiblePieces } from "../../model/text.ts";
import { type Failure, reasonOf, sentenceOf } from "../../net/api.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Query } from "../../state/server/query.ts";
import { Button } from "../../ui/button.tsx";
import { ChoiceItem } from "../../ui/item.tsx";
import { Notice } from "../../ui/notice.tsx";
import { common } from "../../words/common.ts";
import { faultOf, QueryStatus, useAct } from "../parts/query-status.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { TerminalText } from "../parts/text.tsx";
import { Section } from "../../ui/list.tsx";

interface Report {
  /** Words and paths to blank out, one a line. */
  readonly blanked: string;
  readonly status: Exclude<keyof typeof STATUSES, ""> | null;
  readonly note: string;
}

/** The server can save a screen that was read wrong, with private words blanked out. */
export function WrongSheet({ pane }: { readonly pane: Pane }): JSX.Element {
  const { api } = useServer();
  const { router } = useBrowser();
  const [screen] = useState(() => {
    const asked = { json: { id: pane.id }, read: readCaseDraft };
    return new Query((signal) => api.call("POST /api/cases", { ...asked, signal }));
  });
  const [report, setReport] = useState<Report>({ blanked: "", status: null, note: "" });
  const [saved, setSaved] = useState<CaseSaved | null>(null);
  const { isBusy, failure: refused, run, forget } = useAct();
  // Takes the screen of now; what was filled in stays.
  const retake = () => {
    setSaved(null);
    forget();
    void screen.reload();
  };
  useEffect(retake, [screen]);
  const draft = screen.value.value;
  // Saves the screen that was taken, not the one of now.
  const save = async (draft_id: string) => {
    const { blanked, status, note } = report;
    const json = { draft: draft_id, blank: wordsOf(blanked), status, note: note.trim() };
    const result = await run(() => api.call("POST /api/cases/save", { json }));
    if (result?.ok === true) setSaved(result.value);
  };
  const isGone = refused !== null && reasonOf(refused) === "draft_gone";
  return (
    <Sheet
      title="This is wrong"
      back={{ label: "Back to why", onBack: () => router.show("explain", pane.id) }}
      footer={
        saved !== null ? (
          <Notice tone="good" role="status">
            Saved as {saved.name}, in “cases” below the state directory of the server. Nothing was
            sent anywhere.
          </Notice>
        ) : (
          <>
            {refused !== null && (
              <Notice tone="error" role="alert">
                {failureText(refused)}
              </Notice>
            )}
            {isGone ? (
              <Button size="block" disabled={screen.isLoading.value} onClick={retake}>
                Take the screen again
              </Button>
            ) : (
              <Button
                tone="primary"
                size="block"
                disabled={draft === null || isBusy}
                onClick={() => draft && void save(draft.draft)}
              >
                {isBusy ? "Saving" : "Save"}
              </Button>
            )}
          </>
        )
      }
    >
      <p class="text-2">
        <TerminalText text={pane.name} />
      </p>
      <QueryStatus query={screen} failed="The screen was not taken" />
      {draft !== null && (
        <CaseForm
          {...{ draft, report }}
          onChange={(change) => setReport((before) => ({ ...before, ...change }))}
        />
      )}
    </Sheet>
  );
}

function CaseForm(props: {
  readonly draft: SeenCaseDraft;
  readonly report: Report;
  readonly onChange: (change: Partial<Report>) => void;
}): JSX.Element {
  const { draft, report, onChange } = props;
  const { title, command, process } = draft;
  const words = wordsOf(report.blanked);
  const facts = [
    ["Title", title],
    ["Command", command],
    ["Process", process ?? ""],
  ].filter(([, text]) => text !== "");
  const saved = [
    ...facts.map(([name, text]) => `${name}: ${text}`),
    "",
    ...withoutEnd(draft.lines),
  ].join("\n");
  return (
    <>
      <p class="fs-13 text-2">
        This will be saved on the server, in a folder for you to look at, and sent nowhere.
      </p>
      <SheetSection title="Blank out" end={String(words.length)}>
        <textarea
          class="text-box full mono"
          rows={3}
          dir="auto"
          autocapitalize="off"
          spellcheck={false}
          aria-label="Blank out"
          placeholder="Words and paths that nobody should see, one a line"
          value={report.blanked}
          onInput={({ currentTarget }) => onChange({ blanked: currentTarget.value })}
        />
        <p class="mt-4 fs-13 text-2">
          Each is blanked out wherever it stands. Upper and lower case differ.
        </p>
      </SheetSection>
      <SheetSection title="What will be saved">
        <textarea
          class="text-box full fs-12 mono"
          rows={12}
          dir="ltr"
          wrap="off"
          readOnly
          aria-label="What will be saved"
          value={visible(blankedText(saved, words))}
        />
      </SheetSection>
      <SheetSection title="What was read wrong">
        <div class="set">
          <ChoiceItem
            label="What it really was"
            options={STATUSES}
            chosen={report.status ?? ""}
            onChoose={(status) => onChange({ status: status === "" ? null : status })}
          />
        </div>
        <textarea
          class="text-box full"
          rows={3}
          dir="auto"
          maxLength={MAX_NOTE_CHARS}
          aria-label="What was read wrong"
          placeholder="For whoever mends it. Saved too."
          value={report.note}
          onInput={({ currentTarget }) => onChange({ note: cleanInput(currentTarget.value).text })}
        />
      </SheetSection>
    </>
  );
}

/** Marks that turn or hide text are named. */
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
const { needs_input, working, idle, error } = common.status;
const STATUSES = { "": "I do not say", needs_input, working, idle, error };

function failureText(failure: Failure): string {
  const reason = reasonOf(failure);
  if (reason === "draft_gone")
    return "The server holds this screen no more: it was saved before, or it waited too long.";
  if (reason === "too_many_cases")
    return "Not saved: there are as many as the server keeps. Remove some there.";
  if (sentenceOf(failure) === "")
    return "The server did not answer. Saving again saves it only once.";
  return faultOf("Not saved", failure);
}

/** Blank rows below the last text are saved, but not shown. */
const withoutEnd = (lines: readonly string[]): readonly string[] =>
  lines.slice(0, lines.findLastIndex((line) => line.trim() !== "") + 1);

export function SheetSection(props: {
  readonly title: string;
  readonly rule?: string;
  readonly end?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { title, rule, end, children } = props;
  return (
    <Section kind="sheet" title={title} end={<span class="numbers">{end}</span>}>
      {children}
      {rule !== undefined && <p class="mt-4 fs-12 mono text-3 anywhere">by {rule}</p>}
    </Section>
  );
}

/** A text as the server will save it: blanked words keep their length and their blanks. */
export const blankedText = (text: string, words: readonly string[]): string =>
  blankRuns(text, words)
    .map((run) => (run.isBlanked ? run.text.replace(/\S/g, "x") : run.text))
    .join("");

/** One word or path a line. */
export const wordsOf = (written: string): string[] =>
  [...new Set(written.split("\n").map((line) => line.trim()))].filter((line) => line !== "");
