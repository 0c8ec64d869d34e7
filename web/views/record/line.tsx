import type { JSX } from "preact";
import type { SeenAccessEvent, SeenAct } from "../../../src/protocol/tolerant-later.ts";
import { paneHash } from "../../state/browser/router.ts";
import { type Client, useClient, useServer } from "../../state/client.ts";
import { askMessages } from "../../state/server/agents/chat.ts";
import { grantIn, isAct, type RecordLine } from "../../state/server/record.ts";
import { Icon, type IconName, StatusIcon } from "../../ui/button.tsx";
import { count, timeOfDay } from "../../words/common.ts";
import { type Refusal, spelled } from "../../words/refusals.ts";
import { mayOf } from "../../words/scopes.ts";
import { useDerived } from "../parts/derived.ts";
import { InnerLink } from "../parts/links.tsx";
import { TerminalText } from "../parts/text.tsx";

/** What was done, then a command or a path. */
type Sentence = readonly [text: string, code?: string];

/** The label of a text is its length ("text of 12 characters"), or its beginning. */
function textOf({ label }: SeenAct): string {
  return /^text of \d+ characters?$/.test(label)
    ? label.charAt(0).toUpperCase() + label.slice(1)
    : `“${label}”`;
}

function answerText({ label, about }: SeenAct): Sentence {
  if (about === null) return [label];
  const isCode = about.kind === "command" || about.kind === "file";
  return isCode ? [`${label} to `, about.text] : [`${label} to “${about.text}”`];
}

/** By kind: the name in the filter, and the sentence of `n` acts like this one. */
const ACTS: Readonly<
  Record<SeenAct["kind"], readonly [filter: string, says: (act: SeenAct, n: number) => Sentence]>
> = {
  select: ["Answers", answerText],
  reply: ["Answers to decisions", answerText],
  key: ["Keys", ({ label }) => [`Key ${label}`]],
  text: ["Texts", (act) => [textOf(act)]],
  message: ["Messages", (act) => [textOf(act)]],
  stop: ["Stop", () => ["Stop"]],
  broadcast: ["Broadcasts", (_, n) => [`Broadcast to ${count(n, "pane", "panes")}`]],
  continue: ["Continued by itself", (act) => [`${textOf(act)} by itself`]],
  first_message: ["First messages", (act) => [`First message: ${textOf(act)}`]],
  create: ["Panes made", ({ label }) => ["Made a pane: ", label]],
  close: ["Panes closed", () => ["Closed the pane"]],
  unknown: ["Else", ({ label }) => [label]],
};

function grantText(what: string, does: string): string {
  const { name, scope } = grantIn(what);
  return `${name} was ${does}${scope === null ? "" : `, ${mayOf(scope)}`}`;
}

type LabelOf = (key: string) => string | undefined;

/** Sign-ins and settings by kind: the name in the filter, the icon, and the sentence. */
const EVENTS: Readonly<
  Record<
    SeenAccessEvent["kind"],
    readonly [filter: string, icon: IconName, says: (e: SeenAccessEvent, of: LabelOf) => string]
  >
> = {
  grant_made: ["Devices let in", "key", ({ what }) => grantText(what, "let in")],
  grant_changed: ["Devices changed", "key", ({ what }) => grantText(what, "changed")],
  grant_removed: ["Devices removed", "key", ({ what }) => `${grantIn(what).name} was removed`],
  token_made: ["Tokens made", "key", () => "A token was made"],
  token_removed: ["Tokens removed", "key", () => "The token was removed"],
  sign_refused: [
    "Refused sign-ins",
    "key",
    ({ count: n }) => count(n, "refused sign-in", "refused sign-ins"),
  ],
  settings_changed: [
    "Settings",
    "sliders",
    ({ what }, labelOf) => {
      const labels = what.split(", ").map((key) => labelOf(key)?.toLowerCase() ?? key);
      return `Settings changed: ${labels.join(", ")}`;
    },
  ],
  host_added: ["Machines added", "machine", ({ what }) => `Machine ${what} was added`],
  host_removed: ["Machines removed", "machine", ({ what }) => `Machine ${what} was removed`],
  unknown: ["Else", "key", ({ what }) => what],
};

/** Filters of the list; only an owner sees events of access. */
export const kindsFor = (isOwner: boolean): (readonly [kind: string, filter: string])[] =>
  Object.entries({ ...ACTS, ...(isOwner ? EVENTS : {}) })
    .filter(([kind]) => kind !== "unknown")
    .map(([kind, [filter]]) => [kind, filter]);

export const actSentence = (act: SeenAct, n: number): Sentence => ACTS[act.kind][1](act, n);

export const isWrong = ({ state }: SeenAct): boolean => state === "refused" || state === "unknown";

export function outcomeText(act: SeenAct): string {
  const { kind, state, reason } = act;
  if (state === "sending") return "on its way";
  if (state === "sent") return "sent";
  if (state === "confirmed") return kind === "stop" ? "stopped" : "confirmed";
  if (state === "unknown") return "may have arrived";
  const known = Object.entries(REASONS).find(([name]) => name === reason)?.[1];
  return reason === null ? "not sent" : `not sent: ${known ?? spelled(reason)}`;
}

/** Shorter than on a card, which says also what to do next. */
const REASONS: Partial<Record<Refusal, string>> = {
  prompt_changed: "it asked something else",
  options_changed: "its answers had changed",
  endpoint_stale: "the pane could not be read",
  host_away: "its machine was away",
  endpoint_moved: "the pane had moved",
  revision_stale: "the pane had changed",
  capability_unavailable: "the pane does not take that",
  unknown_pane: "the pane was gone",
  idempotency_key_expired: "the server was restarted meanwhile",
};

/** With the number of acts of each outcome. */
function outcomesText(acts: readonly SeenAct[]): string {
  const outcomes = Map.groupBy(acts, outcomeText);
  return acts.length === 1
    ? [...outcomes.keys()].join()
    : [...outcomes].map(([text, its]) => `${its.length} ${text}`).join(", ");
}

/** `hash` is that of its pane, while there is one. */
function useLineParts(line: RecordLine) {
  const { config, panes } = useServer();
  const [first] = line;
  const acts = line.filter(isAct);
  // The current names of the panes; of closed ones their targets.
  const where = useDerived(
    () =>
      acts
        .map(({ pane_id: id, target }) => panes.find(id)?.name ?? target)
        .filter((name) => name !== "")
        .join(", "),
    [line],
  );
  if (!isAct(first)) {
    const { kind, what, by } = first;
    const fields = config.current.value?.fields;
    const [, icon, says] = EVENTS[kind];
    return {
      mark: <Icon name={icon} class="small" />,
      sentence: [says(first, (key) => fields?.find(({ live }) => live === key)?.label)] as const,
      who: kind === "sign_refused" ? `from ${what}` : by.name,
      ...{ where, outcome: "", isBad: false, hash: null },
    };
  }
  const isBad = acts.some(isWrong);
  const isOver = acts.every(({ state }) => state !== "sending");
  const icon = isBad ? "warning" : first.kind === "broadcast" ? "broadcast" : null;
  return {
    mark:
      icon === null ? (
        <StatusIcon shape={isOver ? "ok" : "working"} />
      ) : (
        <Icon name={icon} class="small" />
      ),
    sentence: actSentence(first, acts.length),
    who: first.by.name,
    outcome: outcomesText(acts),
    hash: panes.find(first.pane_id) === null ? null : paneHash(first.pane_id),
    ...{ where, isBad },
  };
}

/** A later reply moves no chat that somebody reads. */
const FIND_MS = 10_000;

/** Opens the page of a pane; the chat of an agent then moves to the time of the act. */
async function openAt({ server, browser: { router } }: Client, act: SeenAct): Promise<void> {
  const { pane_id: paneId, at } = act;
  const agent = server.agentIn(server.panes.find(paneId));
  router.go(paneHash(paneId, agent === null ? "screen" : "chat"));
  if (agent === null) return;
  const here = router.here();
  const before = { before: String(at + 1), limit: 1 };
  const found = await askMessages(server, agent, before, AbortSignal.timeout(FIND_MS));
  const message = found.ok ? found.value.items[0] : undefined;
  if (message) here(() => router.replace(paneHash(paneId, "chat", message.id)));
}

/** An item of a list, or with `isRow` the row of a table. */
export function RecordRow(props: {
  readonly line: RecordLine;
  readonly isRow?: boolean;
}): JSX.Element {
  const { line, isRow = false } = props;
  const { mark, sentence, where, who, outcome, isBad, hash } = useLineParts(line);
  const [text, code = ""] = sentence;
  const [first] = line;
  const { seq } = first;
  const client = useClient();
  const time = timeOfDay(first.at);
  const what = (
    <span class={isRow ? undefined : "event-title own-line fs-15 anywhere"}>
      <TerminalText text={text} />
      {code !== "" && <TerminalText as="code" text={code} dir="ltr" />}
    </span>
  );
  const look = isRow ? "record-what text-1" : "record-link";
  const linked = (parts: JSX.Element) => {
    if (hash === null) return <div class={look}>{parts}</div>;
    return (
      <InnerLink
        class={look}
        hash={hash}
        row={String(seq)}
        onOpen={isAct(first) ? () => void openAt(client, first) : undefined}
      >
        {parts}
      </InnerLink>
    );
  };
  if (isRow)
    return (
      <tr data-at={seq}>
        <td class="numbers">{time}</td>
        <td>
          {linked(
            <>
              {mark}
              {what}
            </>,
          )}
        </td>
        {[where, who].map((told, i) => (
          <td key={i}>
            <TerminalText text={told} />
          </td>
        ))}
        <td class={isBad ? "text-error" : undefined}>{outcome}</td>
      </tr>
    );
  const by = !isAct(first) && !who.startsWith("from ") ? `by ${who}` : who;
  const told = [where, by, isBad ? "" : outcome].filter((part) => part !== "");
  return (
    <li class="grid relative tap" data-at={seq}>
      <time class="fs-12 numbers text-3 to-end">{time}</time>
      <span class={`step-mark center relative ${isBad ? "text-error" : "text-3"} ground`}>
        {mark}
      </span>
      {linked(
        <>
          {what}
          <TerminalText class="own-line fs-13 prose text-2 anywhere" text={told.join(" · ")} />
          {isBad && <span class="own-line fs-13 prose text-error anywhere">{outcome}</span>}
        </>,
      )}
    </li>
  );
}
