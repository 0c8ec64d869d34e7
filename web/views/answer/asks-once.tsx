import type { JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { riskSentence } from "../../../src/protocol/labels.ts";
import { SHIELD_MS } from "../../model/guard.ts";
import type { MenuOption, Pane } from "../../model/pane.ts";
import type { Preferences } from "../../state/browser/preferences.ts";
import { Button } from "../../ui/button.tsx";
import { moreWords } from "../../words/queue.ts";
import { giveFocus } from "../../ui/focus.ts";
import { OptionRow } from "./option-row.tsx";
import { usePress } from "./press.ts";

const CLOSES_MS = 8000;

/** The row of an option that is asked once more: what it does, a way back, and the way on. */
export function AsksOnce<Seen extends { readonly option: MenuOption }>(props: {
  readonly seen: Seen;
  readonly asked: Asked;
  readonly onGo: (seen: Seen, pressedAt: number) => void;
  readonly onClose: () => void;
}): JSX.Element {
  const { seen, asked, onGo, onClose } = props;
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const openedAt = useRef(performance.now());
  useEffect(() => {
    const row = place.current?.closest(".option");
    giveFocus(row?.querySelector("button"), row?.parentElement);
    const timer = setTimeout(onClose, CLOSES_MS);
    return () => clearTimeout(timer);
  }, []);
  const go = usePress(
    () => seen,
    // The button has only just come under the finger: a double tap is no second thought.
    (pressed, pressedAt) => {
      if (pressedAt - openedAt.current >= SHIELD_MS) onGo(pressed, pressedAt);
    },
  );
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") onClose();
    // Digits and letters belong to no other card while this one asks; Enter holds at its buttons.
    if (event.key !== "Tab") event.stopPropagation();
    if (event.key === "Enter" && event.repeat) event.preventDefault();
  };
  return (
    <OptionRow
      option={seen.option}
      class="asks-once start"
      labelId={`${id}-label`}
      role="alertdialog"
      aria-labelledby={`${id}-label`}
      aria-describedby={`${id}-why`}
      onKeyDown={onKeyDown}
    >
      <p class="mt-4 fs-13" id={`${id}-why`}>
        {asked.why}
      </p>
      <div ref={place} class="asks-buttons grid gap-8">
        <Button onClick={onClose}>Cancel</Button>
        <Button class="go" {...go}>
          {asked.go}
        </Button>
      </div>
    </OptionRow>
  );
}

/** The switch of each danger that has one. */
const SWITCHES: Readonly<Partial<Record<string, keyof Preferences>>> = {
  standing_grant: "askGrant",
  deletes: "askDelete",
  rewrites_history: "askForce",
  root: "askRoot",
  runs_download: "askInternet",
};

/** Why an option is asked once more, and what its button says. */
export interface Asked {
  readonly why: string;
  readonly go: string;
}

/**
 * Why this option is asked once more in this browser, or null. What the server calls dangerous, and
 * whatever nobody can have read whole.
 */
export function askedFor(
  preferences: Preferences,
  prompt: Pick<Pane, "risk" | "cut"> | null,
  option: Pick<MenuOption, "risk" | "declines">,
): Asked | null {
  const risks = [option.declines === true ? null : prompt?.risk, option.risk];
  for (const risk of risks)
    for (const [i, kind] of (risk?.kinds ?? []).entries()) {
      const of = SWITCHES[kind];
      // A kind of a newer server is asked about whatever is switched off here.
      if (of !== undefined && preferences[of] !== true) continue;
      const why = riskSentence(kind, i === 0 ? (risk?.text ?? "") : "");
      return { why, go: kind === "standing_grant" ? "Allow always" : "Run it" };
    }
  return prompt?.cut ? { why: moreWords(prompt.cut), go: "Send it" } : null;
}
