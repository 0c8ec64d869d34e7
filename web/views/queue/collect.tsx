import type { JSX } from "preact";
import { useEffect, useId } from "preact/hooks";
import { Collected } from "../../state/server/collected.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { collect as words } from "../../words/collect.ts";
import { passDigit } from "../answer/pass-key.ts";
import { questionClass } from "../answer/prompt.tsx";
import { useDerived } from "../parts/derived.ts";
import { Excerpt } from "../parts/excerpt.tsx";
import { KeyCaps } from "../parts/key-caps.tsx";
import { TerminalText } from "../parts/text.tsx";
import { Doubt } from "../answer/fate.tsx";
import { Radios } from "./radios.tsx";
import { SendingBar } from "./sending.tsx";

/** The question of a card with circles. */
export function CollectQuestion(props: {
  readonly entryKey: string;
  readonly withExcerpt?: boolean;
}): JSX.Element | null {
  const { entryKey, withExcerpt = true } = props;
  const part = usePart(Collected);
  const questionId = useId();
  const question = useDerived(() => part.question(entryKey), [part, entryKey]);
  const id = question?.id ?? "";
  const choice = useDerived(() => part.choices.value[id] ?? null, [part, id]);
  const lost = useDerived(() => part.lost.value[id] ?? null, [part, id]);
  const obstacle = useDerived(
    () => (question === null ? null : part.obstacle(question)),
    [part, question],
  );
  if (question === null) return null;
  const { prompt } = question;
  return (
    <>
      {lost !== null && (
        <Notice icon="warning" tone="needs" title={words.changed} isAlert>
          {words.lost[lost]}
        </Notice>
      )}
      {withExcerpt && <Excerpt pane={prompt} />}
      <h3 class={questionClass(prompt)} id={questionId}>
        <TerminalText text={prompt.question ?? ""} />
      </h3>
      {obstacle === null && (
        <Radios
          {...{ question, choice }}
          labelledBy={questionId}
          onChoose={(seen, option, text) => part.choose(seen, option, text)}
        />
      )}
      {obstacle === "uncertain" && <Doubt paneId={question.entry.paneId} />}
      {obstacle !== null && obstacle !== "uncertain" && (
        <p class="hint">{words.notChoosable[obstacle]}</p>
      )}
    </>
  );
}

/** What is chosen for a row, and how far its answer is, in place of what it says. */
export function ChosenLabel(props: {
  readonly id: string;
  readonly children: JSX.Element;
}): JSX.Element {
  const { id, children } = props;
  const part = usePart(Collected);
  const label = useDerived(() => {
    const chosen = part.run.step(id) ?? part.choices.value[id];
    return chosen === undefined ? null : (chosen.text ?? chosen.option.label);
  }, [part, id]);
  if (label === null) return children;
  return (
    <span class="chosen-label">
      <TerminalText text={label} />
    </span>
  );
}

/** Below the queue: what would be sent, what is being sent, or what became of it. */
export function CollectBar(): JSX.Element | null {
  const { queue, canAnswer } = useServer();
  const part = usePart(Collected);
  const { layout } = useBrowser();
  useCollectKeys(part);
  const run = part.run.run.value;
  if (run !== null) return <SendingBar part={part} run={run} />;
  const n = part.ready.value.length;
  if (n === 0 && !queue.collecting.isOn.value) return null;
  return (
    <footer class="collect-bar">
      <p class="numbers" role="status">
        {words.chosen(n, part.open.value.length - n)}
      </p>
      <Button disabled={n === 0} onClick={() => part.leaveAll()}>
        {words.clear}
      </Button>
      <Button
        tone="primary"
        disabled={n === 0 || !canAnswer.value}
        onClick={() => void part.send()}
      >
        <span class="numbers">{words.send(n)}</span>
        {layout.columns.value === 3 && n > 0 && <KeyCaps keys="mod Enter" />}
      </Button>
    </footer>
  );
}

/** `0` leaves the card at hand open, Mod+Enter sends what is chosen. */
function useCollectKeys(part: Collected): void {
  const { preferences, router } = useBrowser();
  const { queue } = useServer();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { target, key } = event;
      const isWriting = target instanceof Element && target.matches("input, textarea");
      if (router.sheet.peek() !== null || event.altKey || event.repeat || isWriting) return;
      // Its own key, on its way to the card at hand.
      if (!event.isTrusted) return;
      if (event.metaKey || event.ctrlKey) {
        if (key !== "Enter" || part.ready.peek().length === 0) return;
        event.preventDefault();
        return void part.send();
      }
      const isOpen = queue.collecting.isOn.peek() && preferences.current.peek().singleKeys;
      if (key === "0" && isOpen && passDigit(key)) event.preventDefault();
    };
    window.addEventListener("keydown", onKeyDown, true);
    return () => window.removeEventListener("keydown", onKeyDown, true);
  }, [part]);
}
