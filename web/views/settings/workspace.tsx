import type { JSX } from "preact";
import { useServer } from "../../state/client.ts";
import { settings as words } from "../../words/settings.ts";
import { Notice } from "../answer/notices.tsx";
import { ServerSwitch } from "./server-fields.tsx";

/** Says what the agent workspace reads before anybody switches it on. */
export function WorkspaceSettings(): JSX.Element | null {
  const { config, workspace } = useServer();
  const server = config.current.value;
  const facts = workspace.facts.value;
  if (server === null) return null;
  const isOn = server.experimental_agent_workspace_enabled;
  const days = server._info.capabilities?.agent_context_v1?.retention_days ?? 0;
  // What is on can be switched off whatever became of it.
  const isPossible = isOn || facts.step === "on" || facts.step === "off";
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
        </div>
      )}
      <h3 class="page-title">{words.workspaceGives}</h3>
      <p class="page-text">{words.workspaceGivesText}</p>
      <h3 class="page-title">{words.workspaceReads}</h3>
      <ul class="plain-facts">
        {words.workspaceFacts(days).map(([subject, text]) => (
          <li key={subject}>
            <b>{subject}</b> {text}
          </li>
        ))}
      </ul>
    </>
  );
}
