import type { JSX } from "preact";
import { useBrowser, useServer } from "../../state/client.ts";
import { desk } from "../../words/review.ts";
import { KeyCaps } from "../parts/key-caps.tsx";

const { keys: words } = desk;

/** Keys one after another; a range is written with a dash. */
type Hint = readonly [keys: readonly string[], text: string, isRange?: "range"];

const HINTS: Readonly<Record<"answer" | "pick", readonly Hint[]>> = {
  answer: [
    [["j", "k"], words.move],
    [["1", "9"], words.pick, "range"],
    [["Enter"], words.send],
    [["m"], words.reviewed],
    [["l"], words.later],
  ],
  pick: [
    [["j", "k"], words.move],
    [["1", "9"], words.pick, "range"],
    [["mod Enter"], words.sendPicks],
  ],
};

/** The keys of this screen at its foot; the sheet of all keys tells them to everybody. */
export function KeyHints(props: { readonly of: keyof typeof HINTS }): JSX.Element | null {
  const { preferences } = useBrowser();
  const server = useServer();
  const facts = server.workspace.facts.value;
  if (!preferences.current.value.singleKeys || !server.may("answer")) return null;
  const marks = facts.step === "on" && facts.hasReview;
  const hints = HINTS[props.of].filter(([, text]) => marks || text !== words.reviewed);
  return (
    <footer class="key-hints" aria-hidden="true">
      <div>
        {hints.map(([keys, text, range]) => (
          <span key={text}>
            {keys.map((key, index) => (
              <span key={key}>
                {index > 0 && range !== undefined && "–"}
                <KeyCaps keys={key} />
              </span>
            ))}
            {text}
          </span>
        ))}
      </div>
      <span>
        <KeyCaps keys="?" />
        {words.all}
      </span>
    </footer>
  );
}
