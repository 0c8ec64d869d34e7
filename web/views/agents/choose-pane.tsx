import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { byConfidence, developmentOf, lastSeenAt, type Development } from "../../model/binding.ts";
import type { SeenContext } from "../../../src/protocol/tolerant-agents.ts";
import type { ActionStep } from "../../state/server/agents/session-actions.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { binding as words } from "../../words/binding.ts";
import { timeOfDay } from "../../words/common.ts";
import { Notice } from "../../ui/notice.tsx";
import { useDerived } from "../parts/derived.ts";
import { Sheet } from "../parts/sheet.tsx";
import { TerminalText } from "../parts/text.tsx";
import { Candidates, paneNameOf } from "./candidates.tsx";
import { ActionNotice } from "./confirm.tsx";
import type { SessionProps } from "./sheets.tsx";
import { leadFocus } from "../../ui/focus.ts";

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
  useEffect(() => actions.dismiss(agent.id), []);
  const candidates = byConfidence(drawn.binding_candidates);
  const gone = useVanished(candidates.map(({ pane_id }) => pane_id));
  const development = developmentOf(drawn, agent);
  const step = actions.of(agent.id).value;
  const isOnItsWay = step?.step === "sending";
  const candidate = candidates.find(({ pane_id }) => pane_id === chosen) ?? null;
  const isTaken = candidate !== null && !gone.has(candidate.pane_id) && development === "same";
  const name = candidate === null ? "" : paneNameOf(candidate, panes.find(candidate.pane_id));
  const bind = async () => {
    if (candidate === null) return;
    if (await actions.bind(drawn, candidate.pane_id))
      router.close(() => messages.say(`It is ${name} from now on.`));
  };
  const drawAnew = () => {
    actions.dismiss(agent.id);
    setChosen(null);
    setDrawn(agent);
    void state.query.reload();
    leadFocus(body.current?.closest<HTMLElement>("[role=dialog]"));
  };
  return (
    <Sheet
      title="Which pane is it?"
      footer={
        <div class="sheet-buttons">
          <Outcome
            step={step}
            development={development}
            onAgain={drawAnew}
            onClose={() => router.close()}
          />
          <Button
            tone="primary"
            size="block"
            disabled={!isTaken || isOnItsWay || isDown.value}
            onClick={() => void bind()}
          >
            {isOnItsWay ? "Choosing" : candidate === null ? "Choose a pane" : `It is ${name}`}
          </Button>
        </div>
      }
    >
      <div ref={body}>
        <LastWords context={agent.context} at={lastSeenAt(agent)} />
        <Candidates {...{ candidates, chosen, gone }} onChoose={setChosen} />
        <p class="page-text">You can unlink it again at any time.</p>
      </div>
    </Sheet>
  );
}

/** What it said last, or else was asked last: what to look for on the screens. */
function LastWords(props: { readonly context: SeenContext; readonly at: number }): JSX.Element {
  const { progress_summary: said, current_task: asked } = props.context;
  const text = said ?? asked;
  if (text === null || text === "")
    return <p class="page-text">Nothing that it said is known yet.</p>;
  return (
    <p class="last-words">
      {said === null ? "You asked it last:" : `It said last, at ${timeOfDay(props.at)}:`}{" "}
      <q>
        <TerminalText text={text} />
      </q>
    </p>
  );
}

/**
 * What became of the choice, and what has changed since the panes were drawn: the person decides when
 * they are drawn anew.
 */
function Outcome(props: {
  readonly step: ActionStep | null;
  readonly development: Development;
  readonly onAgain: () => void;
  readonly onClose: () => void;
}): JSX.Element | null {
  const { step, development, onAgain, onClose } = props;
  const isOver = development === "found" || development === "none";
  if (step?.step === "sending" || (step === null && development === "same")) return null;
  const told = development === "same" ? null : words.developments[development];
  const next = (
    <div class="actions">
      <Button onClick={isOver ? onClose : onAgain}>{isOver ? "Close" : "Show them anew"}</Button>
    </div>
  );
  if (step === null)
    return (
      <Notice icon="refresh" tone="needs" title={told ?? ""} isAlert>
        {next}
      </Notice>
    );
  return (
    <ActionNotice step={step}>
      {told !== null && <p>{told}</p>}
      {next}
    </ActionNotice>
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
