import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { SeenAgent } from "../../../src/protocol/tolerant-agents.ts";
import type { ActionStep } from "../../state/server/agents/session-actions.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useBrowser, useServer, type Client } from "../../state/client.ts";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { Notice } from "../../ui/notice.tsx";
import { binding as words, dayName, refusalText } from "../../words/binding.ts";
import { Confirm } from "../parts/sheet.tsx";
import { TerminalText } from "../parts/text.tsx";
import { nameOf, usePaneOf, useWatch } from "./use.ts";
import type { SessionProps } from "./sheets.tsx";

/** Unlinks at once, since the pane can be chosen again, and says how it went. */
export async function unlink(
  { browser: { messages }, server: { outbox } }: Client,
  { actions }: Workspace,
  agent: SeenAgent,
): Promise<void> {
  const paneId = agent.pane_id ?? "";
  if (outbox.isHeld(paneId) && !outbox.isDoubted(paneId))
    return messages.alert(
      "An answer is on its way to this pane. Wait until it is known what became of it.",
    );
  if (await actions.release(agent)) return messages.say("Unlinked. You can choose a pane again.");
  const step = actions.of(agent.id).peek();
  if (step === null || step.step === "sending") return;
  messages.alert([words[step.step][step.act], reasonFor(step)].filter(Boolean).join(". "));
}

/** Says what goes and what stays before anything is deleted. */
export function DeleteHistory({ workspace, state, agent }: SessionProps): JSX.Element {
  const { config } = useServer();
  const { messages, router } = useBrowser();
  const { actions } = workspace;
  useWatch(state.decisions);
  useEffect(() => actions.dismiss(agent.id), []);
  const pane = usePaneOf(agent);
  const step = actions.of(agent.id).value;
  const isOnItsWay = step?.step === "sending";
  const open = agent.pending_decisions_count;
  const since = state.chat.facts.value?.retained_from ?? agent.created_at;
  const run = async () => {
    if (await actions.deleteHistory(agent.id))
      router.close(() => messages.say("Its history is deleted."));
  };
  return (
    <Confirm
      title="Delete its history?"
      act={{
        label: isOnItsWay ? "Deleting" : "Delete what was read",
        onPress: () => void run(),
        isDanger: true,
        isOff: isOnItsWay,
      }}
      keepLabel="Keep it"
    >
      <p>
        <b>
          <TerminalText text={nameOf(agent, pane)} />
        </b>
        , known since {dayName(since)}
      </p>
      <ul class="fates">
        <Fate isGone>
          Messages, timeline and decisions, and the marks of your reviews, are deleted for everyone.
        </Fate>
        {open > 0 && (
          <Fate isGone>
            {open === 1
              ? "Its open question can only be answered in the terminal then."
              : `Its ${open} open questions can only be answered in the terminal then.`}
          </Fate>
        )}
        <Fate>{`The log that ${config.labels.value[agent.runtime] ?? agent.runtime} keeps itself stays as it is.`}</Fate>
        <Fate>What the agent does now stays known: goal, task, progress.</Fate>
      </ul>
      <p class="page-text">It cannot be taken back.</p>
      <ActionNotice step={step} />
    </Confirm>
  );
}

function Fate(props: {
  readonly isGone?: boolean;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { isGone = false, children } = props;
  return (
    <li class={isGone ? "goes" : "stays"}>
      {isGone ? <Icon name="close" class="small" /> : <StatusIcon shape="ok" />}
      <span>{children}</span>
    </li>
  );
}

/** What was attempted and why it does not hold. */
export function ActionNotice(props: {
  readonly step: ActionStep | null;
  /** What to do now. */
  readonly children?: ComponentChildren;
}): JSX.Element | null {
  const { step, children } = props;
  if (step === null || step.step === "sending") return null;
  const isDoubt = step.step === "lost";
  return (
    <Notice
      icon={isDoubt ? "info" : "warning"}
      tone={isDoubt ? "stale" : "error"}
      title={words[step.step][step.act]}
      isAlert
    >
      {reasonFor(step)}
      {children}
    </Notice>
  );
}

function reasonFor(step: Exclude<ActionStep, { step: "sending" }>): string {
  if (step.step === "lost")
    return "The server did not answer. What is shown was read again where that was possible.";
  return step.step === "gone" ? "" : refusalText(step.reason);
}
