import type { JSX } from "preact";
import { useId, useRef } from "preact/hooks";
import { sinceOf } from "../../../src/protocol/card-place.ts";
import type { BindingCandidate } from "../../../src/protocol/agents.ts";
import { lastWordsOf } from "../../model/excerpt.ts";
import { appearanceOf, type Pane } from "../../model/pane.ts";
import { useBrowser } from "../../state/client.ts";
import { StatusIcon } from "../../ui/icons.tsx";
import { binding as words } from "../../words/binding.ts";
import { common, waitText } from "../../words/common.ts";
import { usePane } from "../parts/derived.ts";
import { Line } from "../parts/excerpt.tsx";
import { Place, TerminalText } from "../parts/text.tsx";
import { leadFocus } from "../../ui/focus.ts";

/** So much of each screen tells two agents apart, and both stay in sight. */
const SHOWN_LINES = 8;

/** What a person calls the pane of a candidate. */
export const paneNameOf = ({ label, target }: BindingCandidate, pane: Pane | null): string =>
  pane?.name || label || target;

/** The possible panes of a session, none chosen beforehand. */
export function Candidates(props: {
  readonly candidates: readonly BindingCandidate[];
  readonly chosen: string | null;
  /** Panes that were there and are not any more. */
  readonly gone: ReadonlySet<string>;
  readonly onChoose: (paneId: string) => void;
}): JSX.Element {
  const { candidates, chosen, gone, onChoose } = props;
  const group = useRef<HTMLDivElement>(null);
  const ids = candidates.map(({ pane_id }) => pane_id).filter((id) => !gone.has(id));
  const reached = chosen !== null && ids.includes(chosen) ? chosen : ids[0];
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (step === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    const at = ids.indexOf(reached ?? "");
    const next = ids[(at + step + ids.length) % ids.length];
    if (next === undefined) return;
    onChoose(next);
    leadFocus(group.current?.querySelector<HTMLElement>(`[data-candidate="${CSS.escape(next)}"]`));
  };
  return (
    <div ref={group} class="candidates" role="radiogroup" aria-label="Panes" onKeyDown={onKeyDown}>
      {candidates.map((candidate) => (
        <Candidate
          key={candidate.pane_id}
          candidate={candidate}
          isChosen={candidate.pane_id === chosen}
          isReached={candidate.pane_id === reached}
          isGone={gone.has(candidate.pane_id)}
          onChoose={() => onChoose(candidate.pane_id)}
        />
      ))}
    </div>
  );
}

function Candidate(props: {
  readonly candidate: BindingCandidate;
  readonly isChosen: boolean;
  /** Tab comes to it. */
  readonly isReached: boolean;
  readonly isGone: boolean;
  readonly onChoose: () => void;
}): JSX.Element {
  const { candidate, isChosen, isReached, isGone, onChoose } = props;
  const id = useId();
  const pane = usePane(candidate.pane_id).value;
  const lines = pane === null ? [] : lastWordsOf(pane, SHOWN_LINES);
  return (
    <div
      class={`candidate ${isChosen ? "chosen" : ""} ${isGone ? "vanished" : ""}`}
      onClick={isGone ? undefined : onChoose}
    >
      <button
        type="button"
        role="radio"
        aria-checked={isChosen}
        aria-disabled={isGone}
        aria-labelledby={`${id}-name`}
        aria-describedby={`${id}-why`}
        tabIndex={isReached ? 0 : -1}
        data-candidate={candidate.pane_id}
      >
        <span class="circle" />
        <span class="grow">
          <span class="candidate-name" id={`${id}-name`}>
            <TerminalText text={paneNameOf(candidate, pane)} class="grow" />
            <span class="numbers">{`${Math.round(candidate.confidence * 100)}%`}</span>
          </span>
          <span class="candidate-why" id={`${id}-why`}>
            {isGone ? (
              "This pane is not there any more."
            ) : (
              <Why candidate={candidate} pane={pane} />
            )}
          </span>
        </span>
      </button>
      {!isGone && lines.length > 0 && (
        <div class="excerpt">
          <pre dir="ltr">
            {lines.map((line, i) => (
              <Line key={i} text={line} class="" />
            ))}
          </pre>
        </div>
      )}
      {!isGone && lines.length === 0 && <p class="candidate-why">Its screen is not known here.</p>}
    </div>
  );
}

/** The server's evidence, and what its pane does now. */
function Why(props: { readonly candidate: BindingCandidate; readonly pane: Pane | null }) {
  const { candidate, pane } = props;
  const { clock } = useBrowser();
  return (
    <>
      {pane !== null && (
        <>
          <Place pane={pane} />
          {". "}
        </>
      )}
      {candidate.reasons.map((reason) => (
        <TerminalText key={reason} text={`${reason} `} />
      ))}
      {pane !== null && (
        <span class="candidate-status">
          <StatusIcon shape={appearanceOf(pane)} />{" "}
          {words.forTime(
            common.status[appearanceOf(pane)],
            waitText(clock.now.value - sinceOf(pane)),
          )}
        </span>
      )}
    </>
  );
}
