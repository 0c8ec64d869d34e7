import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Editor, Settings } from "../../state/server/settings.ts";
import { Icon, type IconName, StatusIcon } from "../../ui/button.tsx";
import { Item } from "../../ui/item.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Heading, Tag } from "../../ui/heading.tsx";
import { count } from "../../words/common.ts";
import { atText, whenText } from "../../words/times.ts";
import { useWatch, useWorkspace } from "../agents/use.ts";
import { useToday } from "../parts/derived.ts";
import { SavingNote, SettingRows } from "./fields.tsx";
import { Group, PageLink, SegmentsItem, ConfirmInPlace } from "./rows.tsx";

const SWITCH = [
  "experimental_agent_workspace_enabled",
  "Read agent sessions",
  "Experimental · for everyone on this server",
] as const;

/** Says what the agent workspace reads, before anybody switches it on. */
export function WorkspaceSettings(): JSX.Element | null {
  const { config, hosts, workspace } = useServer();
  const settings = usePart(Settings);
  const server = config.current.value;
  const review = useWorkspace()?.review ?? null;
  useWatch(review);
  const facts = workspace.facts.value;
  if (server === null) return null;
  const minutes = review?.value.value?.settings.interval_minutes;
  const isOn = server.experimental_agent_workspace_enabled;
  const days = server._info.capabilities?.agent_context_v1?.retention_days ?? 0;
  // It can be switched off even where it cannot run.
  const isPossible = isOn || facts.step === "on" || facts.step === "off";
  return (
    <>
      {facts.step === "unavailable" && (
        <Notice tone="error" title="It cannot run now">
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
          <SettingRows of={settings} rows={[SWITCH]} />
          {facts.step === "on" && <ReadingItem />}
          {facts.step === "on" && facts.hasReview && (
            <PageLink
              to="settings-review"
              value={
                minutes === undefined ? "" : minutes === null ? "at once" : `every ${minutes} min`
              }
            />
          )}
        </div>
      )}
      <Heading kind="sheet" title="What you get" />
      <p class="page-text">
        What changed since you last looked. A page for each agent with its goal, progress and
        blockers, what was said, and its history. Answers to its questions.
      </p>
      <Heading kind="sheet" title="What it reads, and what becomes of it" />
      <ul class="grid gap-10 mb-8 text-2 fs-13 prose">
        {factsFor(count(days, "day", "days")).map(([icon, subject, text]) => (
          <li key={subject} class="flex start gap-10">
            <Icon name={icon} class="small" />
            <span>
              <b class="text-1">{subject}</b> {text}
            </span>
          </li>
        ))}
      </ul>
      {facts.step === "on" && <ClearWorkspace />}
    </>
  );
}

/** Loads the configuration when it is opened, for the newest figures. */
function ReadingItem(): JSX.Element | null {
  const { config } = useServer();
  useEffect(() => void config.load(), [config]);
  const today = useToday();
  const observed = config.current.value?._info.capabilities.agent_context_v1.observed;
  if (observed === undefined) return null;
  const { sessions, last_record_at: last } = observed;
  const read = count(sessions, "session", "sessions");
  const hint = last === null ? read : `${read}, the last line ${atText(last, today)}`;
  return (
    <Item label="Reading" hint={hint}>
      <Tag tone="ok">
        <StatusIcon shape="ok" />
        On
      </Tag>
    </Item>
  );
}

function ClearWorkspace(): JSX.Element {
  const { api } = useServer();
  const { messages } = useBrowser();
  const clear = async () => {
    const result = await api.call("DELETE /api/agents");
    if (result.ok) messages.say("All that was read is deleted.");
    return result;
  };
  return (
    <div class="set mt-12">
      <Item label="Delete all that was read" hint="Of every session, for everyone on this server">
        <ConfirmInPlace
          label="Delete"
          name="Delete all that was read"
          sure="Delete all"
          text="Messages, timelines, decisions, reviews. The agents’ own logs stay, and what is older is not read again. It cannot be taken back."
          notDone="Not deleted"
          onSure={clear}
        />
      </Item>
    </div>
  );
}

const factsFor = (
  days: string,
): readonly (readonly [IconName, subject: string, text: string])[] => [
  [
    "book",
    "Reads",
    "the session logs that Claude Code and Codex keep on the server, usually below ~/.claude and ~/.codex. It never writes there.",
  ],
  [
    "speech",
    "Keeps",
    `what was said, plans, tasks, questions and answers, in one file on the server, for ${days}.`,
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
  ["trash", "Off", "stops reading and keeps what is there. History is deleted on an agent’s page."],
];

/** How often changes are collected into one alert. */
export function ReviewSettings(): JSX.Element | null {
  const workspace = useWorkspace();
  const { api } = useServer();
  useWatch(workspace?.review ?? null);
  const today = useToday();
  const editor = useMemo(
    () =>
      new Editor({
        current: () => {
          const { settings } = workspace?.review.value.value ?? {};
          if (settings === undefined) return null;
          const { interval_minutes, urgent_bypass } = settings;
          // Off is 0 here, so that it is a choice like the others.
          return {
            interval_minutes: interval_minutes ?? 0,
            urgent_pane_errors: urgent_bypass.pane_errors,
          };
        },
        // Sends the changed member alone: another person may have changed the rest.
        patch: async (change) => {
          const json = change.interval_minutes === 0 ? { interval_minutes: null } : change;
          const result = await api.call("PATCH /api/review/settings", { json });
          await workspace?.review.reload();
          return result;
        },
      }),
    [workspace],
  );
  const [isCustom, setCustom] = useState(false);
  const review = workspace?.review.value.value ?? null;
  if (review === null) return null;
  const { settings, due } = review;
  const { next_due_at: next, last_digest_at: last, presets } = settings;
  const { min_interval_minutes: least, max_interval_minutes: most } = settings;
  const minutes = editor.shown("interval_minutes") ?? 0;
  const windows = [0, ...presets].map((one) => [one, one === 0 ? "Off" : `${one} min`]);
  const isOwn = isCustom || (minutes > 0 && !presets.includes(minutes));
  return (
    <>
      <Group title="Collect what changes" audience="everyone">
        <SegmentsItem
          label="Window"
          hint="Ordinary questions and changes wait for it. Then one notification comes, and only if there is something."
          // An object lists numbers in ascending order, before other keys.
          options={{ ...Object.fromEntries(windows), custom: "Custom" }}
          chosen={isOwn ? "custom" : String(minutes)}
          onChoose={(value) => {
            setCustom(value === "custom");
            if (value !== "custom") void editor.save("interval_minutes", Number(value));
          }}
        />
        {isOwn ? (
          <SettingRows
            of={editor}
            rows={[
              ["interval_minutes", "Minutes between two windows", `${least} to ${most} minutes`],
            ]}
          />
        ) : (
          <SavingNote of={editor} name="interval_minutes" />
        )}
        {next !== null && (
          <Item
            label="Next"
            hint="Marking something as reviewed starts the window again"
            value={due.is_due ? "Due now" : whenText(next, today)}
          />
        )}
        {next !== null && last !== null && <Item label="Last one" value={whenText(last, today)} />}
      </Group>
      <Group title="Not collected">
        <Item
          label="Urgent decisions"
          hint="Those that an agent itself calls high or critical"
          value="Always at once"
        />
        <SettingRows
          of={editor}
          rows={[["urgent_pane_errors", "Errors of panes", "Else they wait for the window too"]]}
        />
      </Group>
      <p class="page-text">Off means: every question alerts at once.</p>
    </>
  );
}
