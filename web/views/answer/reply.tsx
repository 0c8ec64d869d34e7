import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { canWrite, type MenuOption, type Pane } from "../../model/pane.ts";
import { cleanInput } from "../../model/text.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { common } from "../../words/common.ts";
import { TerminalText } from "../parts/text.tsx";
import { WriteText } from "../parts/write-text.tsx";
import { OptionKey } from "./option-row.tsx";
import { focusAnswers } from "./keys.ts";
import { usePress, type Steady } from "./press.ts";
import { giveFocus } from "../../ui/focus.ts";

/** What was on the screen when the press began. */
interface Seen {
  readonly pane: Pane;
  readonly text: string;
}

/** The reply field: the reader's own words for a freeform option, or for a prompt without options. */
export function Reply(props: {
  readonly pane: Pane;
  readonly option: MenuOption | null;
  readonly steady: Steady;
  readonly isDisabled: boolean;
}): JSX.Element {
  const { pane, option, steady } = props;
  const { acts, drafts, picks } = useServer();
  const { arming, clock } = useBrowser();
  const isDisabled = props.isDisabled || !canWrite(pane);
  const field = useRef<HTMLTextAreaElement>(null);
  const { text } = drafts.of(pane).value;
  useEffect(() => {
    // A field that comes with the page, or with a draft of another tab, raises no keyboard.
    if (option === null || !arming.takesFocus(pane.id)) return;
    giveFocus(field.current, field.current?.closest(".options"));
    field.current?.parentElement?.scrollIntoView({ block: "nearest" });
  }, [option?.key]);

  const see = (): Seen => ({ pane, text: drafts.of(pane).peek().text });
  const send = (seen: Seen, pressedAt: number) => {
    // Another tab may write the same draft.
    const isAsSeen = drafts.of(seen.pane).peek().text === seen.text;
    if (seen.text === "" || isDisabled || !isAsSeen) return;
    const press = { ...seen, option, label: seen.text, pressedAt, steadySince: steady.since() };
    if (!picks.isOn.peek()) return void acts.answer(press);
    if (!acts.admits(press)) return;
    picks.pick(press);
    cancel();
  };
  const press = usePress(see, send);
  const cancel = () => {
    drafts.set(pane, { choice: null });
    focusAnswers(pane.id);
  };
  return (
    <>
      {option !== null && (
        <div class="own-words-head flex gap-12 fs-15">
          <OptionKey option={option} />
          <TerminalText text={option.label} class="grow" />
          <IconButton icon="close" label={common.close} onClick={cancel} />
        </div>
      )}
      <WriteText
        field={field}
        label="Reply"
        placeholder="Your reply"
        value={text}
        onInput={(written) => drafts.set(pane, { text: cleanInput(written).text })}
        onSend={() => send(see(), clock.monotonicMs())}
        onEscape={option === null ? undefined : cancel}
      />
      <div class="flex gap-8 fs-13 text-2">
        <span class="grow">{!picks.isOn.value && "Sent as your answer."}</span>
        <Button tone="primary" disabled={isDisabled || text === ""} {...press}>
          {picks.isOn.value ? "Pick" : "Send"}
        </Button>
      </div>
    </>
  );
}
