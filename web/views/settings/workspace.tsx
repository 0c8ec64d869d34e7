import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useBrowser, useServer } from "../../state/client.ts";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { Item, LinkItem } from "../../ui/item.tsx";
import { timeOfDay } from "../../words/common.ts";
import { settings as words } from "../../words/settings.ts";
import { Notice } from "../answer/notices.tsx";
import { ClearWorkspace } from "./clearing.tsx";
import { ServerSwitch } from "./server-fields.tsx";

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
  const { config, workspace } = useServer();
  const server = config.current.value;
  const facts = workspace.facts.value;
  const { router } = useBrowser();
  if (server === null) return null;
  const review = workspace.current.value?.review.value.value ?? null;
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
            <LinkItem
              label={words.workspaceReview}
              value={review === null ? "" : words.workspaceWindow(review.settings.interval_minutes)}
              onClick={() => router.show("review-settings", null, "above")}
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
