import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { Item } from "../../ui/item.tsx";
import { common, count, timeOfDay } from "../../words/common.ts";
import { Notice } from "../../ui/notice.tsx";
import { useAct } from "../parts/act.ts";
import { Fault, Leads, ServerField } from "./rows.tsx";

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
  return (
    <>
      {facts.step === "unavailable" && (
        <Notice icon="warning" tone="error" title="It cannot run now">
          <p>{facts.reason}</p>
        </Notice>
      )}
      {hosts.value.length > 0 && (
        <p class="page-text">Of several machines, sessions of this server’s own are read.</p>
      )}
      {facts.step === "none" && !isOn && (
        <p class="page-text">This server has no agent workspace.</p>
      )}
      {isPossible && (
        <div class="set">
          <ServerField
            field={{
              live: "experimental_agent_workspace_enabled",
              kind: "boolean",
              label: "Read agent sessions",
            }}
            hint="Experimental · for everyone on this server"
          />
          {facts.step === "on" && <WhatIsRead />}
          {facts.step === "on" && facts.hasReview && (
            <Leads
              to="settings-review"
              label="Alerts about changes"
              value={
                minutes === undefined ? "" : minutes === null ? "at once" : `every ${minutes} min`
              }
            />
          )}
        </div>
      )}
      <h3 class="page-title text-2 fs-13 bold">What you get</h3>
      <p class="page-text">
        What changed since you last looked. A page for each agent with its goal, progress and
        blockers, what was said, and its history. Answers to its questions.
      </p>
      <h3 class="page-title text-2 fs-13 bold">What it reads, and what becomes of it</h3>
      <ul class="plain-facts grid gap-10 text-2 fs-13 prose">
        {factsOf(days).map(([icon, subject, text]) => (
          <li key={subject}>
            <Icon name={icon} />
            <span>
              <b>{subject}</b> {text}
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
      label="Reading"
      hint={
        count(sessions, "session", "sessions") +
        (last === null ? "" : `, the last line at ${timeOfDay(last)}`)
      }
    >
      <span class="tag ok">
        <StatusIcon shape="ok" />
        On
      </span>
    </Item>
  );
}

/** Deletes all that was read of sessions, for everyone, after a second tap. */
function ClearWorkspace(): JSX.Element {
  const { api } = useServer();
  const { messages } = useBrowser();
  const act = useAct("Not deleted");
  const [isAsking, setAsking] = useState(false);
  const clear = async () => {
    const result = await act.run(() => api.call("DELETE /api/agents"));
    setAsking(false);
    if (result?.ok === true) messages.say("All that was read is deleted.");
  };
  return (
    <div class="set clearing">
      <div class="item">
        <span class="grow">
          <span class="danger-text">Delete all that was read</span>
          <span class="item-hint">
            {!isAsking
              ? "Of every session, for everyone on this server"
              : "Messages, timelines, decisions, reviews. The agents’ own logs stay, and what is older is not read again. It cannot be taken back."}
          </span>
        </span>
        {!isAsking && (
          <Button
            size="small"
            aria-label="Delete all that was read"
            onClick={() => setAsking(true)}
          >
            Delete
          </Button>
        )}
      </div>
      {isAsking && (
        <div class="actions">
          <Button tone="danger" disabled={act.isBusy} onClick={() => void clear()}>
            {act.isBusy ? "Deleting" : "Delete all"}
          </Button>
          <Button disabled={act.isBusy} onClick={() => setAsking(false)}>
            {common.cancel}
          </Button>
        </div>
      )}
      {act.fault !== "" && <Fault>{act.fault}</Fault>}
    </div>
  );
}

/** What it does with the logs, in the order in which it is said. */
const factsOf = (days: number) =>
  [
    [
      "book",
      "Reads",
      "the session logs that Claude Code and Codex keep on the server, usually below ~/.claude and ~/.codex. It never writes there.",
    ],
    [
      "speech",
      "Keeps",
      `what was said, plans, tasks, questions and answers, in one file on the server, for ${count(days, "day", "days")}.`,
    ],
    [
      "close",
      "Leaves out",
      "tool calls and their output, and what a model thinks. Paths of logs are never shown.",
    ],
    [
      "lock",
      "Sends nothing",
      "of it anywhere, alerts included. Whoever has this server’s token can read it.",
    ],
    [
      "trash",
      "Off",
      "stops reading and keeps what is there. History is deleted on an agent’s page.",
    ],
  ] as const;
