import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { Sheet } from "../../ui/sheet.tsx";
import { binding as words, dayName } from "../../words/binding.ts";
import { common } from "../../words/common.ts";
import { TerminalText } from "../parts/text.tsx";
import { nameOf, useWatch, usePaneOf } from "../review/use.ts";
import { HandNotice } from "./hand-notice.tsx";
import type { SessionProps } from "./sheets.tsx";

/** Says what goes and what stays before anything is deleted. */
export function DeleteHistory({ workspace, state, agent }: SessionProps): JSX.Element {
  const { config } = useServer();
  const { messages, router } = useBrowser();
  const { hands, planned } = workspace;
  useWatch(state.decisions);
  useEffect(() => hands.dismiss(agent.id), []);
  const step = hands.of(agent.id).value;
  const isOnItsWay = step?.step === "sending";
  const held = planned.heldFor(workspace.decisionsOf(agent.id));
  const open = agent.pending_decisions_count;
  const hasDraft = workspace.outgoing.draft(agent.id).value?.leaving === null;
  const since = state.chatFacts.value?.retained_from ?? agent.created_at;
  const run = async () => {
    if (await hands.deleteHistory(agent.id)) router.close(() => messages.say(words.wasDeleted));
  };
  return (
    <Sheet
      title={words.deleteTitle}
      closeLabel={common.close}
      onClose={() => router.close()}
      footer={
        <div class="sheet-buttons">
          <Button tone="danger" size="block" disabled={isOnItsWay} onClick={() => void run()}>
            {isOnItsWay ? words.deleting : words.deleteHistory}
          </Button>
          <Button size="block" onClick={() => router.close()}>
            {words.keep}
          </Button>
        </div>
      }
    >
      <p>
        <b>
          <TerminalText text={nameOf(agent, usePaneOf(agent))} />
        </b>
        , {words.since(dayName(since))}
      </p>
      <ul class="fates">
        <Fate isGone>{words.deleted}</Fate>
        {open > 0 && <Fate isGone>{words.deletedOpen(open)}</Fate>}
        {hasDraft && <Fate isGone>{words.deletedDraft}</Fate>}
        {held > 0 && <Fate isGone>{words.deletedPlanned(held)}</Fate>}
        <Fate>{words.stays(config.labels.value[agent.runtime] ?? agent.runtime)}</Fate>
        <Fate>{words.staysNow}</Fate>
      </ul>
      <p class="page-text">{words.forGood}</p>
      <HandNotice step={step} />
    </Sheet>
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
