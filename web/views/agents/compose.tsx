import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { SeenAgent } from "../../../src/protocol/tolerant-agents.ts";
import { standingOf } from "../../model/binding.ts";
import type { Letter } from "../../model/chat/letter.ts";
import { MESSAGE_LIMIT, tooMany, type WritingObstacle } from "../../model/chat/writing.ts";
import { steadyMs } from "../../model/guard.ts";
import { useClient } from "../../state/client.ts";
import type { AgentState } from "../../state/server/agents/agent.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, StatusIcon, type IconName } from "../../ui/icons.tsx";
import { chat as words } from "../../words/chat.ts";
import { composer as composerWords } from "../../words/pane.ts";
import type { Appearance } from "../../model/pane.ts";
import { usePress } from "../answer/press.ts";
import { useSteadyTarget } from "../answer/steady.ts";
import { growWithText } from "../parts/grow.ts";

interface ComposeProps {
  readonly workspace: Workspace;
  readonly state: AgentState;
  readonly agent: SeenAgent;
  readonly name: string;
}

/** What was on the screen when the press began. */
interface Seen {
  readonly agent: SeenAgent;
  readonly written: string;
}

/**
 * Writes to the agent while it is idle. Who is writing keeps the field, whatever happens meanwhile;
 * else the reason why nothing can be written stands in its place.
 */
export function ChatComposer({ workspace, state, agent, name }: ComposeProps): JSX.Element {
  const { outgoing } = workspace;
  const [isHeld, setHeld] = useState(false);
  const obstacle = outgoing.obstacle(agent);
  const draft = outgoing.draft(agent.id).value;
  const hasField =
    obstacle === null ||
    obstacle === "busy" ||
    (obstacle !== "in_doubt" && isHeld) ||
    !!draft?.text;
  const isShown = hasField && obstacle !== "in_doubt";
  const isOwn = draft?.leaving != null && obstacle !== "in_doubt";
  return (
    <footer class="pane-foot">
      {obstacle !== null && !isOwn && (
        <Obstacle workspace={workspace} state={state} agent={agent} obstacle={obstacle} />
      )}
      {isShown && (
        <Field key={agent.id} {...{ workspace, agent, name, obstacle }} onHold={setHeld} />
      )}
    </footer>
  );
}

function Field(props: {
  readonly workspace: Workspace;
  readonly agent: SeenAgent;
  readonly name: string;
  readonly obstacle: WritingObstacle | null;
  readonly onHold: (isHeld: boolean) => void;
}): JSX.Element {
  const { workspace, agent, name, obstacle, onHold } = props;
  const { outgoing } = workspace;
  const { clock, preferences } = useClient().browser;
  const field = useRef<HTMLTextAreaElement>(null);
  const [removed, setRemoved] = useState(0);
  const steady = useSteadyTarget(`${obstacle} ${agent.binding_revision} ${agent.pane_id}`);
  const letter = outgoing.of(agent.id).value;
  const draft = outgoing.draft(agent.id).value;
  const text = draft === null || draft.leaving !== null ? "" : draft.text;
  const isSending = letter?.step === "sending";
  const over = tooMany(text);
  const isOff = obstacle !== null || isSending || over > 0 || text.trim() === "";
  useEffect(() => growWithText(field.current), [text]);
  useEffect(() => () => onHold(false), []);

  const see = (): Seen => ({ agent, written: outgoing.draft(agent.id).peek()?.text ?? "" });
  const send = ({ agent: seen, written }: Seen, pressedAt: number) => {
    if (isOff || outgoing.draft(seen.id).peek()?.text !== written) return;
    const times = { pressedAt, steadySince: steady.since() };
    setRemoved(0);
    void outgoing.send({
      agent: seen,
      text: written,
      steadyMs: steadyMs(times, clock.monotonicMs()),
    });
  };
  const press = usePress<Seen>({ see, release: send, holds: false });
  const onKeyDown = (event: KeyboardEvent) => {
    const isSend = event.metaKey || event.ctrlKey || preferences.current.value.enterSends;
    if (event.key !== "Enter" || !isSend || event.shiftKey || event.isComposing || event.repeat)
      return;
    event.preventDefault();
    send(see(), clock.monotonicMs());
  };
  return (
    <>
      <Note letter={letter} over={over} removed={removed} />
      <div class="composer chat-composer">
        <textarea
          ref={field}
          class="text-box grow"
          rows={1}
          dir="auto"
          aria-label={words.messageTo(name)}
          placeholder={words.messageTo(name)}
          value={text}
          readOnly={isSending}
          onInput={(event) => setRemoved(outgoing.write(agent.id, event.currentTarget.value))}
          onKeyDown={onKeyDown}
          onFocus={() => onHold(true)}
          onBlur={() => onHold(false)}
        />
        <button type="button" class="send" aria-label={words.send} disabled={isOff} {...press}>
          <Icon name="send" />
        </button>
      </div>
    </>
  );
}

function Note(props: {
  readonly letter: Letter | null;
  readonly over: number;
  readonly removed: number;
}): JSX.Element | null {
  const { letter, over, removed } = props;
  const failure = failureOf(letter) ?? (over > 0 ? words.tooLong(MESSAGE_LIMIT, over) : null);
  if (failure !== null)
    return (
      <p class="composer-note wrong" role="alert">
        {failure}
      </p>
    );
  if (removed === 0) return null;
  return (
    <p class="composer-note" role="status">
      {composerWords.removedControls(removed)}
    </p>
  );
}

function failureOf(letter: Letter | null): string | null {
  if (letter?.step === "refused") return words.refused(letter.reason);
  if (letter?.step === "changed") return words.changed;
  return letter?.step === "moved" ? words.moved : null;
}

type Way = keyof typeof words.ways;

/** How each reason looks, and the one way on from it. */
const OBSTACLES: Readonly<
  Record<WritingObstacle, { sign: { shape: Appearance } | { icon: IconName }; way: Way | null }>
> = {
  in_doubt: { sign: { icon: "eye" }, way: "inspect" },
  no_connection: { sign: { icon: "offline" }, way: null },
  not_updated: { sign: { icon: "clock" }, way: "retry" },
  not_running: { sign: { shape: "offline" }, way: null },
  no_pane: { sign: { icon: "terminal" }, way: "choose" },
  unreadable: { sign: { shape: "stale" }, way: "pane" },
  asks: { sign: { shape: "needs_input" }, way: null },
  failed: { sign: { shape: "error" }, way: "pane" },
  working: { sign: { shape: "working" }, way: "pane" },
  takes_none: { sign: { icon: "lock" }, way: "pane" },
  busy: { sign: { icon: "clock" }, way: null },
};

function Obstacle(props: {
  readonly workspace: Workspace;
  readonly state: AgentState;
  readonly agent: SeenAgent;
  readonly obstacle: WritingObstacle;
}): JSX.Element {
  const { workspace, state, agent, obstacle } = props;
  const client = useClient();
  const { router } = client.browser;
  const { sign, way } = OBSTACLES[obstacle];
  const doubted = workspace.outgoing.draft(agent.id).value?.leaving?.paneId ?? agent.pane_id;
  const paneId = way === "inspect" ? doubted : agent.pane_id;
  const isPaneless = paneId === null && (way === "pane" || way === "inspect");
  const isChoiceless = way === "choose" && standingOf(agent) !== "open";
  const go = (to: Way) => {
    if (to === "pane") router.goPane(paneId ?? "");
    else if (to === "inspect") client.inspect(paneId ?? "");
    else if (to === "retry") void state.query.reload();
    else router.show("agent-pane");
  };
  return (
    <div class="composer-off">
      {"shape" in sign ? (
        <StatusIcon shape={sign.shape} />
      ) : (
        <Icon name={sign.icon} class="small" />
      )}
      <p class="grow" role="status">
        {words.obstacles[obstacle]}
      </p>
      {way !== null && !isPaneless && !isChoiceless && (
        <Button onClick={() => go(way)}>{words.ways[way]}</Button>
      )}
    </div>
  );
}
