import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { reasonOf } from "../../net/api.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { Item } from "../../ui/item.tsx";
import { common, timeOfDay } from "../../words/common.ts";
import { hosts as hostWords } from "../../words/hosts.ts";
import { settings as words } from "../../words/settings.ts";
import { Notice } from "../../ui/notice.tsx";
import { Fault, Leads, ServerSwitch } from "./rows.tsx";

/** In the order in which they are said. */
const FACTS = [
  ["reads", "book"],
  ["keeps", "speech"],
  ["leavesOut", "close"],
  ["sendsNothing", "lock"],
  ["off", "trash"],
] as const;

/** Says what the agent workspace reads before anybody switches it on. */
export function WorkspaceSettings(): JSX.Element | null {
  const { config, hosts, workspace } = useServer();
  const server = config.current.value;
  const facts = workspace.facts.value;
  if (server === null) return null;
  const minutes = workspace.current.value?.review.value.value?.settings.interval_minutes;
  const isOn = server.experimental_agent_workspace_enabled;
  const days = server._info.capabilities?.agent_context_v1?.retention_days ?? 0;
  // What is on can be switched off whatever became of it.
  const isPossible = isOn || facts.step === "on" || facts.step === "off";
  const said = words.workspaceFacts(days);
  return (
    <>
      {facts.step === "unavailable" && (
        <Notice icon="warning" tone="error" title={words.workspaceUnavailable}>
          <p>{facts.reason}</p>
        </Notice>
      )}
      {hosts.value.length > 0 && <p class="page-text">{hostWords.workspaceHere}</p>}
      {facts.step === "none" && !isOn && <p class="page-text">{words.workspaceNone}</p>}
      {isPossible && (
        <div class="set">
          <ServerSwitch
            name="experimental_agent_workspace_enabled"
            label={words.workspaceSwitch}
            hint={words.workspaceWhose}
          />
          {facts.step === "on" && <WhatIsRead />}
          {facts.step === "on" && facts.hasReview && (
            <Leads
              to="settings-review"
              label={words.workspaceReview}
              value={minutes === undefined ? "" : words.workspaceWindow(minutes)}
            />
          )}
        </div>
      )}
      <h3 class="page-title">{words.workspaceGives}</h3>
      <p class="page-text">{words.workspaceGivesText}</p>
      <h3 class="page-title">{words.workspaceReads}</h3>
      <ul class="plain-facts">
        {FACTS.map(([fact, icon]) => (
          <li key={fact}>
            <Icon name={icon} />
            <span>
              <b>{said[fact].subject}</b> {said[fact].text}
            </span>
          </li>
        ))}
      </ul>
      {facts.step === "on" && <ClearWorkspace />}
    </>
  );
}

/** How much is read, as the server says when this is opened. */
function WhatIsRead(): JSX.Element | null {
  const { config } = useServer();
  useEffect(() => void config.load(), [config]);
  const observed = config.current.value?._info.capabilities.agent_context_v1.observed;
  if (observed === undefined) return null;
  const { sessions, last_record_at: last } = observed;
  return (
    <Item
      label={words.workspaceReading}
      hint={words.workspaceRead(sessions, last === null ? null : timeOfDay(last))}
    >
      <span class="tag ok">
        <StatusIcon shape="ok" />
        {words.on}
      </span>
    </Item>
  );
}

/** Deletes all that was read of sessions, for everyone, after a second tap. */
function ClearWorkspace(): JSX.Element {
  const { api, link } = useServer();
  const { messages } = useBrowser();
  const [step, setStep] = useState<"offered" | "asking" | "deleting">("offered");
  const [fault, setFault] = useState<string | null>(null);
  const isDeleting = step === "deleting";
  const clear = async () => {
    setStep("deleting");
    const result = await api.ask("DELETE", "/api/agents", () => ({ ok: true, value: null }));
    setStep("offered");
    if (result.ok) {
      setFault(null);
      return messages.say(words.cleared);
    }
    const { failure } = result;
    if (failure.kind === "unauthorized") link.refuse("unauthorized");
    setFault(failure.kind === "refused" ? words.notCleared(reasonOf(failure)) : words.clearLost);
  };
  return (
    <div class="set clearing">
      <div class="item">
        <span class="grow">
          <span class="danger-text">{words.clear}</span>
          <span class="item-hint">{step === "offered" ? words.clearHint : words.clearForGood}</span>
        </span>
        {step === "offered" && (
          <Button size="small" aria-label={words.clear} onClick={() => setStep("asking")}>
            {words.clearOpen}
          </Button>
        )}
      </div>
      {step !== "offered" && (
        <div class="actions">
          <Button tone="danger" disabled={isDeleting} onClick={() => void clear()}>
            {isDeleting ? words.clearing : words.clearNow}
          </Button>
          <Button disabled={isDeleting} onClick={() => setStep("offered")}>
            {common.cancel}
          </Button>
        </div>
      )}
      {step === "offered" && fault !== null && <Fault>{fault}</Fault>}
    </div>
  );
}
