import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { CaseSaveRequest } from "../../../src/protocol/cases.ts";
import type { SeenCaseDraft } from "../../../src/protocol/tolerant-cases.ts";
import { markable } from "../../model/blank.ts";
import type { Pane } from "../../model/pane.ts";
import { cleanInput } from "../../model/text.ts";
import { type Failure, reasonOf } from "../../net/api.ts";
import { sentenceOf } from "../../net/later-api.ts";
import { useServer } from "../../state/client.ts";
import { MAX_NOTE_CHARS, WrongScreen } from "../../state/server/wrong.ts";
import { Button } from "../../ui/button.tsx";
import { common } from "../../words/common.ts";
import { wrong as words } from "../../words/explain.ts";
import { TerminalText } from "../parts/text.tsx";
import { Blanked, Markable } from "./blanking.tsx";
import { Part } from "./parts.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { Notice } from "../../ui/notice.tsx";

/** A screen that was read wrong: looked at, cleaned by hand, and saved on our own server. */
export function WrongSheet(props: {
  readonly pane: Pane;
  readonly onBack: () => void;
}): JSX.Element {
  const { pane, onBack } = props;
  const { api, link } = useServer();
  const [screen] = useState(
    () =>
      new WrongScreen({
        api,
        paneId: pane.id,
        onUnauthorized: () => link.refuse("unauthorized"),
      }),
  );
  useEffect(() => void screen.look(), [screen]);
  const draft = screen.draft.value.value;
  const failure = screen.draft.failure.value;
  return (
    <Sheet
      title={words.title}
      back={{ label: words.back, onBack }}
      footer={<Footer screen={screen} />}
    >
      <p class="explain-pane">
        <TerminalText text={pane.name} />
      </p>
      {failure !== null && (
        <Notice tone="error" isAlert>
          {words.lookFailed(sentenceOf(failure))}
        </Notice>
      )}
      {draft === null && failure === null && (
        <p class="page-text" role="status">
          {words.loading}
        </p>
      )}
      {draft !== null && <Look screen={screen} draft={draft} />}
    </Sheet>
  );
}

function Look(props: { readonly screen: WrongScreen; readonly draft: SeenCaseDraft }): JSX.Element {
  const { screen, draft } = props;
  const { title, command, process } = draft;
  const lines = useMemo(() => withoutEnd(draft.lines), [draft]);
  const beside = [
    { name: words.windowTitle, text: title },
    { name: words.command, text: command },
    { name: words.process, text: process ?? "" },
  ].filter(({ text }) => text !== "");
  const known = useMemo(
    () => markable([...lines, title, command, process ?? ""]),
    [lines, title, command, process],
  );
  return (
    <>
      <p class="explain-text">{words.lead}</p>
      <Part title={words.screen}>
        <Markable lines={lines} screen={screen} />
      </Part>
      <Part title={words.beside}>
        {beside.map(({ name, text }) => (
          <div key={name} class="wrong-beside">
            <p class="explain-text">{name}</p>
            <Markable lines={[text]} screen={screen} />
          </div>
        ))}
      </Part>
      <Blanked screen={screen} known={known} />
      <Part title={words.note}>
        <div class="set">
          <label class="item">
            <span class="grow">{words.really}</span>
            <StatusSelect screen={screen} />
          </label>
        </div>
        <textarea
          class="text-box wrong-note"
          rows={3}
          dir="auto"
          maxLength={MAX_NOTE_CHARS}
          aria-label={words.note}
          placeholder={words.notePlaceholder}
          value={screen.note.value}
          onInput={(event) => {
            screen.note.value = cleanInput(event.currentTarget.value).text;
          }}
        />
      </Part>
    </>
  );
}

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
      <option value="">{words.notSaid}</option>
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
        {words.saved(outcome.name)}
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
          {words.lookAgain}
        </Button>
      ) : (
        <Button
          tone="primary"
          size="block"
          disabled={screen.draft.value.value === null || outcome.step === "saving"}
          onClick={() => void screen.save()}
        >
          {outcome.step === "saving" ? words.saving : words.save}
        </Button>
      )}
    </>
  );
}

const isGone = (outcome: WrongScreen["outcome"]["value"]): boolean =>
  outcome.step === "failed" && reasonOf(outcome.failure) === "draft_gone";

function failureText(failure: Failure): string {
  const reason = reasonOf(failure);
  if (reason === "draft_gone" || reason === "too_many_cases") return words.failed[reason];
  return words.saveFailed(sentenceOf(failure));
}

/** Blank rows below the last text say nothing; they are saved all the same. */
const withoutEnd = (lines: readonly string[]): readonly string[] =>
  lines.slice(0, lines.findLastIndex((line) => line.trim() !== "") + 1);
