import type { JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import type { BindingCandidate } from "../../../src/protocol/agents.ts";
import type { SeenAgent } from "../../../src/protocol/tolerant-later.ts";
import { retainedUntil, lastSeenAt, resumeCommand, bindingStateOf } from "../../model/lifecycle.ts";
import { lastWordsOf } from "../../model/excerpt.ts";
import { SHIELD_MS } from "../../model/guard.ts";
import { appearanceOf, type Pane } from "../../model/pane.ts";
import { refusal, type Result } from "../../net/api.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { awaitPane } from "../../state/server/creation.ts";
import { Button } from "../../ui/button.tsx";
import { StatusIcon } from "../../ui/icons.tsx";
import { Notice } from "../../ui/notice.tsx";
import { common, timeOfDay } from "../../words/common.ts";
import { dayOf, momentText } from "../../words/times.ts";
import { useAct } from "../parts/query-status.tsx";
import { CopyLines } from "../parts/lines.tsx";
import { usePane, useToday } from "../parts/derived.ts";
import { Line } from "../parts/excerpt.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { PanePath, TerminalText } from "../parts/text.tsx";
import { type SessionProps, unheardWords } from "./use.ts";

interface About {
  readonly agent: SeenAgent;
}

/** Where a session stands with panes, as long as its own is not certain; and the way on. */
export function StandingNotice({ agent }: About): JSX.Element | null {
  const { router } = useBrowser();
  switch (bindingStateOf(agent)) {
    case "linked":
      return null;
    case "over":
      return <Over agent={agent} />;
    case "unknown":
      return (
        <Notice icon="lock" tone="stale" title="No pane is known for it" isBoxed>
          No pane that runs now could be its own: it may run elsewhere, or have ended. You can read
          here but not answer or write.
        </Notice>
      );
    case "open":
      return (
        <Notice
          icon="link"
          tone="stale"
          title="Which pane is it?"
          isBoxed
          actions={
            <Button tone="primary" aria-haspopup="dialog" onClick={() => router.show("agent-pane")}>
              Choose the pane
            </Button>
          }
        >
          {whyOpen(agent)} Until you choose, you can read here but not answer or write.
        </Notice>
      );
  }
}

function whyOpen({ association, binding_candidates: { length } }: SeenAgent): string {
  if (association === "unavailable") return "Its pane was unlinked.";
  return length === 1
    ? "One pane could be its own, but nothing proves it."
    : `${length} panes could be its own, and nothing says which.`;
}

function Over({ agent }: About): JSX.Element {
  const today = useToday();
  const { config } = useServer();
  const days = config.current.value?._info.capabilities.agent_context_v1.retention_days ?? 0;
  const command = resumeCommand(agent);
  const title = `Offline since ${momentText(lastSeenAt(agent), today)}`;
  return (
    <Notice tone="stale" title={title} isBoxed>
      {days > 0 && `What it said last is kept until ${dayOf(retainedUntil(agent, days))}.`}{" "}
      {command !== null && "To go on, run this in its folder:"}
      {command !== null && <CopyLines text={command} label="Copy the command" />}
      {command !== null && config.has("session_resume_v1") && (
        <Resume key={agent.id} id={agent.id} />
      )}
    </Notice>
  );
}

const LOOK_MS = 8000;
const CANNOT = "It cannot be resumed from here";
const UNSURE = "Nobody said whether it was started. Look at All first.";

/** Takes up a session that has ended: where and whether is shown first, and a second tap does it. */
function Resume({ id }: { readonly id: string }): JSX.Element {
  const server = useServer();
  const { router } = useBrowser();
  const [offer, setOffer] = useState<{ readonly cwd: string; readonly at: number } | null>(null);
  const act = useAct(CANNOT, offer === null ? undefined : UNSURE);
  const { api } = server;
  const look = async () => {
    const asked = { query: { agent_id: id }, timeoutMs: LOOK_MS };
    const result = await act.run(async (): Promise<Result<string>> => {
      const looked = await api.call("GET /api/mux/resume", asked);
      if (!looked.ok) return looked;
      const { cwd, reason } = looked.value;
      const isPossible = reason === null && cwd !== null;
      return isPossible ? { ok: true, value: cwd } : refusal(reason ? `${reason}.` : "");
    });
    if (result?.ok === true) setOffer({ cwd: result.value, at: performance.now() });
  };
  const start = async (shownAt: number) => {
    // The second half of a double tap was meant for the button that stood there.
    if (performance.now() - shownAt < SHIELD_MS) return;
    const json = { agent_id: id };
    const here = router.here();
    const result = await act.run(async () => {
      const started = await api.call("POST /api/mux/resume", { json });
      if (started.ok) await awaitPane(server, started.value.pane_id);
      return started;
    });
    if (result?.ok) here(() => router.goPane(result.value.pane_id));
  };
  if (act.fault !== "") return <p role="alert">{act.fault}</p>;
  if (offer === null || act.isBusy)
    return (
      <div class="actions">
        <Button disabled={act.isBusy} onClick={() => void look()}>
          {offer === null ? "Resume in a new pane" : "Starting"}
        </Button>
      </div>
    );
  return (
    <>
      <p role="status">
        Runs this command in a new tmux session, in {offer.cwd}. If the session still runs somewhere
        else, end it there first.
      </p>
      <div class="actions">
        <Button tone="primary" onClick={() => void start(offer.at)}>
          Start it
        </Button>
        <Button tone="plain" onClick={() => setOffer(null)}>
          Not now
        </Button>
      </div>
    </>
  );
}

/** What a person calls the pane of a candidate. */
const paneNameOf = ({ label, target }: BindingCandidate, pane: Pane | null): string =>
  pane?.name || label || target;

/**
 * Which pane a session is in: every possible one with its last lines, beside the session's last words.
 * A choice is made under the revision that was drawn; of another one it is none.
 */
export function ChoosePane({ workspace, agent }: SessionProps): JSX.Element {
  const { panes } = useServer();
  const { messages, router } = useBrowser();
  const [chosen, setChosen] = useState({ id: "", revision: 0 });
  const act = useAct();
  const candidates = agent.binding_candidates;
  const ids = candidates.map(({ pane_id }) => pane_id);
  useEffect(() => panes.showAlso(ids), [ids.join(" ")]);
  const isChosen = ({ pane_id }: BindingCandidate) =>
    pane_id === chosen.id && agent.binding_revision === chosen.revision;
  const candidate = candidates.find(isChosen);
  const name = candidate === undefined ? "" : paneNameOf(candidate, panes.find(chosen.id));
  const bind = async () => {
    if (candidate === undefined) return;
    const here = router.here();
    const bound = await act.run(() => workspace.bind(agent, chosen.id));
    if (bound?.ok !== true) return;
    here(() => router.close());
    messages.say(`It is ${name} from now on.`);
  };
  const isOld = chosen.id !== "" && candidate === undefined && !act.isBusy;
  const isFound = agent.association === "confirmed";
  return (
    <Sheet
      title="Which pane is it?"
      footer={
        <div class="sheet-buttons grid gap-8">
          {isOld && (
            <Notice icon="refresh" tone="needs" isStatus>
              {isFound && "Its pane has been found meanwhile."}
              {!isFound && ids.length === 0 && "No pane could be its own any more."}
              {ids.length > 0 && "Its panes were looked at anew: choose once more."}
            </Notice>
          )}
          {act.failure !== null && (
            <Notice tone="error" title={unheardWords("chosen", act.failure)} isAlert />
          )}
          <Button
            tone="primary"
            size="block"
            disabled={candidate === undefined || act.isBusy || workspace.isDown.value}
            onClick={() => void bind()}
          >
            {act.isBusy ? "Choosing" : name === "" ? "Choose a pane" : `It is ${name}`}
          </Button>
        </div>
      }
    >
      <LastWords agent={agent} />
      <div class="grid gap-8 mb-12" role="radiogroup" aria-label="Panes">
        {candidates.map((one) => (
          <Candidate
            key={one.pane_id}
            candidate={one}
            isChosen={isChosen(one)}
            onChoose={() => {
              act.forget();
              setChosen({ id: one.pane_id, revision: agent.binding_revision });
            }}
          />
        ))}
      </div>
      <p class="page-text">You can unlink it again at any time.</p>
    </Sheet>
  );
}

/** What it said last, or else was asked last: what to look for on the screens. */
function LastWords({ agent }: About): JSX.Element {
  const { progress_summary: said, current_task: asked } = agent.context;
  if (!said && !asked) return <p class="page-text">Nothing that it said is known yet.</p>;
  return (
    <p class="last-words clamp fs-13 text-2">
      {said ? `It said last, at ${timeOfDay(lastSeenAt(agent))}:` : "You asked it last:"}{" "}
      <q class="anywhere text-1">
        <TerminalText text={said || (asked ?? "")} />
      </q>
    </p>
  );
}

/** So much of each screen tells two agents apart, and both stay in sight. */
const SHOWN_LINES = 8;

/** A pane with the server's evidence, what it does now, and its last lines. */
function Candidate(props: {
  readonly candidate: BindingCandidate;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}): JSX.Element {
  const { candidate, isChosen, onChoose } = props;
  const id = useId();
  const pane = usePane(candidate.pane_id).value;
  const lines = pane === null ? [] : lastWordsOf(pane, SHOWN_LINES);
  const appearance = pane === null ? null : appearanceOf(pane);
  return (
    <label class="candidate stack relative fill round-3">
      <input
        type="radio"
        name="candidate"
        aria-labelledby={`${id}-name`}
        aria-describedby={`${id}-why`}
        checked={isChosen}
        onChange={onChoose}
      />
      <span class="flex baseline gap-8 bold anywhere" id={`${id}-name`}>
        <TerminalText text={paneNameOf(candidate, pane)} class="grow" />
        <span class="rigid fs-13 regular numbers text-2">
          {Math.round(candidate.confidence * 100)}%
        </span>
      </span>
      <span class="fs-13 anywhere text-2" id={`${id}-why`}>
        {pane !== null && <PanePath pane={pane} />}
        {pane !== null && ". "}
        <TerminalText text={candidate.reasons.join(" ")} />{" "}
        {appearance !== null && (
          <span class="inline gap-4 nowrap">
            <StatusIcon shape={appearance} /> {common.status[appearance]}.
          </span>
        )}
      </span>
      {lines.length > 0 && (
        <span class="excerpt grid mt-8">
          <pre dir="ltr">
            {lines.map((line, i) => (
              <Line key={i} text={line} class="" />
            ))}
          </pre>
        </span>
      )}
      {lines.length === 0 && <span class="mt-8 fs-13 text-2">Its screen is not known here.</span>}
    </label>
  );
}
