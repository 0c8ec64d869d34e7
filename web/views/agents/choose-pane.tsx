import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { BindingCandidate } from "../../../src/protocol/agents.ts";
import { sinceOf } from "../../../src/protocol/card-place.ts";
import { byConfidence, developmentOf, lastSeenAt } from "../../model/binding.ts";
import { lastWordsOf } from "../../model/excerpt.ts";
import { appearanceOf, type Pane } from "../../model/pane.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { leadFocus } from "../../ui/focus.ts";
import { StatusIcon } from "../../ui/icons.tsx";
import { Notice } from "../../ui/notice.tsx";
import { common, timeOfDay, waitText } from "../../words/common.ts";
import { useDerived, usePane } from "../parts/derived.ts";
import { Line } from "../parts/excerpt.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { Place, TerminalText } from "../parts/text.tsx";
import { UnheardNotice, useWord, type SessionProps } from "./word.tsx";

/** So much of each screen tells two agents apart, and both stay in sight. */
const SHOWN_LINES = 8;

const DEVELOPMENTS = {
  renewed: "Its panes were looked at anew since you opened this.",
  others: "Other panes could be its own now.",
  found: "Its pane has been found meanwhile.",
  none: "No pane could be its own any more.",
} as const;

/** What a person calls the pane of a candidate. */
const paneNameOf = ({ label, target }: BindingCandidate, pane: Pane | null): string =>
  pane?.name || label || target;

/**
 * Which pane a session is in: every possible one with its last lines, beside the session's last words.
 * What was drawn stands until a person asks for it anew, and is what the choice is made under.
 */
export function ChoosePane({ workspace, state, agent }: SessionProps): JSX.Element {
  const { panes } = useServer();
  const { messages, router } = useBrowser();
  const { actions, isDown } = workspace;
  const body = useRef<HTMLDivElement>(null);
  const [drawn, setDrawn] = useState(agent);
  const [chosen, setChosen] = useState<string | null>(null);
  const word = useWord();
  const candidates = byConfidence(drawn.binding_candidates);
  const gone = useVanished(candidates.map(({ pane_id }) => pane_id));
  const development = developmentOf(drawn, agent);
  const candidate = candidates.find(({ pane_id }) => pane_id === chosen) ?? null;
  const isTaken = candidate !== null && !gone.has(candidate.pane_id) && development === "same";
  const name = candidate === null ? "" : paneNameOf(candidate, panes.find(candidate.pane_id));
  const bind = async () => {
    if (candidate !== null && (await word.say(actions.bind(drawn, candidate.pane_id))))
      router.close(() => messages.say(`It is ${name} from now on.`));
  };
  const drawAnew = () => {
    word.forget();
    setChosen(null);
    setDrawn(agent);
    void state.query.reload();
    leadFocus(body.current?.closest<HTMLElement>("[role=dialog]"));
  };
  const told = development === "same" ? null : DEVELOPMENTS[development];
  const isOver = development === "found" || development === "none";
  const next = (
    <div class="actions">
      <Button onClick={isOver ? () => router.close() : drawAnew}>
        {isOver ? "Close" : "Show them anew"}
      </Button>
    </div>
  );
  return (
    <Sheet
      title="Which pane is it?"
      footer={
        <div class="sheet-buttons grid gap-8">
          {word.unheard === null && told !== null && !word.isSending && (
            <Notice icon="refresh" tone="needs" title={told} isAlert>
              {next}
            </Notice>
          )}
          <UnheardNotice word="chosen" unheard={word.unheard}>
            {told !== null && <p>{told}</p>}
            {next}
          </UnheardNotice>
          <Button
            tone="primary"
            size="block"
            disabled={!isTaken || word.isSending || isDown.value}
            onClick={() => void bind()}
          >
            {word.isSending ? "Choosing" : name === "" ? "Choose a pane" : `It is ${name}`}
          </Button>
        </div>
      }
    >
      <div ref={body}>
        <LastWords agent={agent} />
        <div class="grid gap-8 mb-12" role="radiogroup" aria-label="Panes">
          {candidates.map((one) => (
            <Candidate
              key={one.pane_id}
              candidate={one}
              isChosen={one.pane_id === chosen}
              isGone={gone.has(one.pane_id)}
              onChoose={() => setChosen(one.pane_id)}
            />
          ))}
        </div>
        <p class="page-text">You can unlink it again at any time.</p>
      </div>
    </Sheet>
  );
}

/** What it said last, or else was asked last: what to look for on the screens. */
function LastWords({ agent }: Pick<SessionProps, "agent">): JSX.Element {
  const { progress_summary: said, current_task: asked } = agent.context;
  const text = said ?? asked;
  if (text === null || text === "")
    return <p class="page-text">Nothing that it said is known yet.</p>;
  return (
    <p class="last-words fs-13 text-2">
      {said === null ? "You asked it last:" : `It said last, at ${timeOfDay(lastSeenAt(agent))}:`}{" "}
      <q class="anywhere text-1">
        <TerminalText text={text} />
      </q>
    </p>
  );
}

function Candidate(props: {
  readonly candidate: BindingCandidate;
  readonly isChosen: boolean;
  readonly isGone: boolean;
  readonly onChoose: () => void;
}): JSX.Element {
  const { candidate, isChosen, isGone, onChoose } = props;
  const id = useId();
  const pane = usePane(candidate.pane_id).value;
  const lines = pane === null ? [] : lastWordsOf(pane, SHOWN_LINES);
  return (
    <label class={`candidate stack relative fill round-3 ${isGone ? "vanished" : ""}`}>
      <input
        type="radio"
        name="candidate"
        aria-labelledby={`${id}-name`}
        aria-describedby={`${id}-why`}
        checked={isChosen}
        disabled={isGone}
        onChange={onChoose}
      />
      <span class="flex baseline gap-8 bold anywhere" id={`${id}-name`}>
        <TerminalText text={paneNameOf(candidate, pane)} class="grow" />
        <span class="rigid fs-13 regular numbers text-2">
          {Math.round(candidate.confidence * 100)}%
        </span>
      </span>
      <span class="fs-13 anywhere text-2" id={`${id}-why`}>
        {isGone ? "This pane is not there any more." : <Why candidate={candidate} pane={pane} />}
      </span>
      {!isGone && lines.length > 0 && (
        <span class="excerpt grid mt-8">
          <pre dir="ltr">
            {lines.map((line, i) => (
              <Line key={i} text={line} class="" />
            ))}
          </pre>
        </span>
      )}
      {!isGone && lines.length === 0 && (
        <span class="mt-8 fs-13 text-2">Its screen is not known here.</span>
      )}
    </label>
  );
}

/** The server's evidence, and what its pane does now. */
function Why(props: { readonly candidate: BindingCandidate; readonly pane: Pane | null }) {
  const { candidate, pane } = props;
  const { clock } = useBrowser();
  const reasons = candidate.reasons.map((reason) => (
    <TerminalText key={reason} text={`${reason} `} />
  ));
  if (pane === null) return <>{reasons}</>;
  const appearance = appearanceOf(pane);
  const time = waitText(clock.now.value - sinceOf(pane));
  return (
    <>
      <Place pane={pane} />
      {". "}
      {reasons}
      <span class="candidate-status inline baseline gap-4 nowrap">
        <StatusIcon shape={appearance} /> {common.status[appearance]}
        {time !== "now" && ` for ${time}`}.
      </span>
    </>
  );
}

/** Those of these panes that were there since they were drawn and are not any more. */
function useVanished(ids: readonly string[]): ReadonlySet<string> {
  const { panes } = useServer();
  const seen = useRef(new Set<string>());
  const key = ids.join(" ");
  const here = useDerived(() => ids.filter((id) => panes.find(id) !== null), [key]);
  for (const id of here) seen.current.add(id);
  useEffect(() => panes.showAlso(ids), [key]);
  return new Set(ids.filter((id) => seen.current.has(id) && !here.includes(id)));
}
