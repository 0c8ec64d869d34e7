// Which alerts this device gets, when, and from which panes none.
import type { JSX } from "preact";
import type { QuietHours } from "../../../src/protocol/push.ts";
import { withMute, activeMutes } from "../../model/notifications.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Notifications } from "../../state/server/notifications.ts";
import { Button } from "../../ui/button.tsx";
import { Item, SwitchItem } from "../../ui/item.tsx";
import { momentText } from "../../words/times.ts";
import { SavingNote, SettingRows } from "./fields.tsx";
import { Group, PageLink, SegmentsItem } from "./rows.tsx";

/** In minutes. */
const WAITS = { "0": "No", "2": "2 min", "5": "5 min", "15": "15 min" };
const REMINDERS = {
  ...{ "0": "Never", "5": "after 5 min", "10": "after 10 min" },
  ...{ "30": "after 30 min", "60": "after 60 min" },
};
const NIGHT = { start: "22:00", end: "07:00", urgent: true };

/** Null while this device gets no alerts. */
function useAlertEditor() {
  const { own, preferences } = usePart(Notifications);
  return own.value === null ? null : preferences;
}

export function AlertChoices(): JSX.Element | null {
  const { config } = useServer();
  const { clock } = useBrowser();
  const editor = useAlertEditor();
  if (editor === null) return null;
  const [reasons, quiet] = [editor.shown("reasons") ?? [], editor.shown("quiet")];
  const threshold = config.current.value?.usage_alert_threshold ?? 0;
  const rows = [
    ["needs_input", "An agent waits"],
    ["error", "A pane reports an error"],
    ["finished", "An agent has finished", "It stopped working and asks nothing"],
    ["quota", "A quota runs low", `At ${threshold}% left, once an hour at most`],
    ...(config.has("agent_review_v1") ? [["review", "Changes were collected"] as const] : []),
  ] as const;
  return (
    <>
      <Group title="Alert this device when" audience="this device">
        {rows.map(([reason, label, hint]) => (
          <SwitchItem
            key={reason}
            label={label}
            hint={hint}
            isOn={reasons.includes(reason)}
            onChange={(on) =>
              void editor.change("reasons", (all) => {
                const others = all.filter((one) => one !== reason);
                return on ? [...others, reason] : others;
              })
            }
          />
        ))}
        <SavingNote of={editor} name="reasons" />
      </Group>
      <Group title="How and when" audience="this device">
        <SegmentsItem
          label="Wait first"
          hint="Only if I have not answered by then, at the desk or here. Never while this device shows the page."
          options={WAITS}
          chosen={String(editor.shown("wait_minutes"))}
          onChoose={(value) => void editor.save("wait_minutes", Number(value))}
        />
        <SavingNote of={editor} name="wait_minutes" />
        <SettingRows
          of={editor}
          rows={[["remind_minutes", "Remind me once", "When it still waits", REMINDERS]]}
        />
        <PageLink
          to="settings-quiet"
          value={quiet === null ? "Off" : `${quiet.start} to ${quiet.end}`}
        />
        <PageLink
          to="settings-muted"
          value={String(activeMutes(editor.shown("muted") ?? [], clock.now.value).length)}
        />
      </Group>
      <Group title="Text" audience="this device">
        <SwitchItem
          label="Show the pane’s name"
          hint="Else “A pane needs your input”. Questions and output are never sent"
          isOn={editor.shown("details") === "name"}
          onChange={(on) => void editor.save("details", on ? "name" : "none")}
        />
        <SavingNote of={editor} name="details" />
      </Group>
    </>
  );
}

export function QuietSettings(): JSX.Element | null {
  const editor = useAlertEditor();
  if (editor === null) return null;
  const quiet = editor.shown("quiet");
  const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const set = (change: Partial<QuietHours> | null) =>
    void editor.change("quiet", (now) => change && { ...NIGHT, ...now, ...change, time_zone });
  const time = (label: string, name: "start" | "end", value: string) => (
    <input
      type="time"
      class="item-time round-2 fill fs-16"
      aria-label={label}
      value={value}
      required
      onChange={({ currentTarget }) => {
        if (currentTarget.validity.valid) set({ [name]: currentTarget.value });
      }}
    />
  );
  return (
    <>
      <div class="set">
        <SwitchItem
          label="Quiet hours"
          isOn={quiet !== null}
          onChange={(on) => set(on ? {} : null)}
        />
        {quiet !== null && (
          <>
            <Item label="From">{time("From", "start", quiet.start)}</Item>
            <Item label="To" hint={`In the time of this device (${quiet.time_zone})`}>
              {time("To", "end", quiet.end)}
            </Item>
            <SwitchItem
              label="Urgent decisions still come"
              hint="Those that an agent itself calls high or critical"
              isOn={quiet.urgent}
              onChange={(urgent) => set({ urgent })}
            />
          </>
        )}
      </div>
      <SavingNote of={editor} name="quiet" />
      {quiet !== null && (
        <p class="page-text">
          What was quiet comes as one alert at {quiet.end}, if it still waits.
        </p>
      )}
    </>
  );
}

export function MutedSettings(): JSX.Element | null {
  const { panes } = useServer();
  const { clock } = useBrowser();
  const editor = useAlertEditor();
  if (editor === null) return null;
  const still = activeMutes(editor.shown("muted") ?? [], clock.now.value);
  if (still.length === 0) return <p class="page-text">None. The menu of a pane mutes it.</p>;
  const nameOf = (target: string) =>
    panes.all.value.find((pane) => pane.target === target)?.name ?? target;
  const unmute = (target: string) =>
    void editor.change("muted", (muted) => withMute(muted, target, "not"));
  return (
    <div class="set">
      {still.map(({ target, until }) => (
        <Item
          key={target}
          label={nameOf(target)}
          hint={
            until === null ? "until you change it" : `until ${momentText(until, clock.now.value)}`
          }
        >
          <Button
            size="small"
            aria-label={`Unmute ${nameOf(target)}`}
            onClick={() => unmute(target)}
          >
            Unmute
          </Button>
        </Item>
      ))}
      <SavingNote of={editor} name="muted" />
    </div>
  );
}
