import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ReviewSettingsPatch } from "../../../src/protocol/review.ts";
import type { SeenReview } from "../../../src/protocol/tolerant-agents.ts";
import { daysBetween } from "../../model/timeline.ts";
import { reasonOf } from "../../net/api.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import type { Saving } from "../../state/server/settings.ts";
import { Item, SwitchItem } from "../../ui/item.tsx";
import { Segments } from "../../ui/segments.tsx";
import { dayText } from "../../words/agents.ts";
import { timeOfDay } from "../../words/common.ts";
import { reviewSettings as words } from "../../words/review.ts";
import { useToday } from "../parts/derived.ts";
import { useWatch, useWorkspace } from "../agents/use.ts";
import { Fault, Group, NumberItem, SavingNote } from "./rows.tsx";

const OFF = "off";
const CUSTOM = "custom";
const DAY_MINUTES = 1440;

type SettingsReply = SeenReview["settings"];
type Field = keyof ReviewSettingsPatch;

/** How often changes are collected; for everyone who uses this server. */
export function ReviewSettings(): JSX.Element | null {
  const workspace = useWorkspace();
  useWatch(workspace?.review ?? null);
  const review = workspace?.review.value.value ?? null;
  if (workspace === null || review === null) return null;
  return <Fields workspace={workspace} review={review} />;
}

function Fields(props: {
  readonly workspace: Workspace;
  readonly review: SeenReview;
}): JSX.Element {
  const { workspace, review } = props;
  const { settings } = review;
  const [last, setLast] = useState<{ field: Field; saving: Saving } | null>(null);
  const savingOf = (field: Field) => (last?.field === field ? last.saving : null);
  // Only what was changed is sent: another person may have changed the rest.
  const save = async (field: Field, value: number | boolean | null) => {
    setLast({ field, saving: { step: "saving", value } });
    const result = await workspace.api.changeReview({ [field]: value });
    if (result.ok) setLast(null);
    else {
      const reason = reasonOf(result.failure);
      const isRefused = result.failure.kind === "refused";
      setLast({ field, saving: isRefused ? { step: "failed", reason } : { step: "lost" } });
    }
    void workspace.review.reload();
  };
  return (
    <>
      <Group title={words.collect} whose="everyone">
        <Interval settings={settings} onSave={(value) => void save("interval_minutes", value)} />
        <SavingNote saving={savingOf("interval_minutes")} />
        <Windows review={review} />
      </Group>
      <Group title={words.notCollected}>
        <Item label={words.urgent} hint={words.urgentHint}>
          <span class="item-value">{words.atOnce}</span>
        </Item>
        <SwitchItem
          label={words.errors}
          hint={words.errorsHint}
          isOn={settings.urgent_bypass.pane_errors}
          onChange={(value) => void save("urgent_pane_errors", value)}
        />
        <SavingNote saving={savingOf("urgent_pane_errors")} />
      </Group>
      <p class="page-text">{words.offMeans}</p>
    </>
  );
}

function Interval(props: {
  readonly settings: SettingsReply;
  readonly onSave: (minutes: number | null) => void;
}): JSX.Element {
  const { settings, onSave } = props;
  const { interval_minutes: minutes, presets } = settings;
  const { min_interval_minutes: least, max_interval_minutes: most } = settings;
  const [isCustom, setCustom] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const isOther = minutes !== null && !presets.includes(minutes);
  const chosen = isCustom || isOther ? CUSTOM : minutes === null ? OFF : String(minutes);
  const commit = (written: string) => {
    const value = /^\d+$/.test(written) ? Number(written) : Number.NaN;
    const isFit = value >= least && value <= most;
    setFault(isFit || written === "" ? null : faultOf(value, settings));
    if (isFit && value !== minutes) onSave(value);
  };
  return (
    <>
      <div class="stacked-item">
        <Item label={words.window} hint={words.windowHint} />
        <Segments
          label={words.window}
          chosen={chosen}
          options={[
            { value: OFF, label: words.off },
            ...presets.map((preset) => ({ value: String(preset), label: words.minutes(preset) })),
            { value: CUSTOM, label: words.custom },
          ]}
          onChoose={(value) => {
            setCustom(value === CUSTOM);
            setFault(null);
            if (value !== CUSTOM) onSave(value === OFF ? null : Number(value));
          }}
        />
      </div>
      {chosen === CUSTOM && (
        <div class="item-box">
          <NumberItem
            label={words.customLabel}
            hint={words.customHint(least, most)}
            unit={words.unit}
            value={minutes}
            isWrong={fault !== null}
            isHeld={fault !== null}
            onCommit={commit}
          />
          {fault !== null && <Fault>{fault}</Fault>}
        </div>
      )}
    </>
  );
}

function faultOf(value: number, settings: SettingsReply): string {
  const { interval_minutes: minutes, min_interval_minutes: least } = settings;
  const { max_interval_minutes: most } = settings;
  const fault =
    value < least
      ? words.atLeast(least)
      : value > most
        ? words.atMost(most, most === DAY_MINUTES)
        : words.noNumber;
  return `${fault} ${minutes === null ? words.stillOff : words.stillEvery(minutes)}`;
}

/** When the next window ends, and when the last digest went out. */
function Windows({ review }: { readonly review: SeenReview }): JSX.Element | null {
  const today = useToday();
  const { next_due_at: next, last_digest_at: last } = review.settings;
  const at = (time: number) => {
    const ago = daysBetween(time, today);
    return ago > 0 ? `${dayText(time, ago)}, ${timeOfDay(time)}` : timeOfDay(time);
  };
  if (next === null) return null;
  return (
    <>
      <Item label={words.next} hint={words.nextHint}>
        <span class="item-value numbers">{review.due.is_due ? words.dueNow : at(next)}</span>
      </Item>
      {last !== null && (
        <Item label={words.lastDigest}>
          <span class="item-value numbers">{at(last)}</span>
        </Item>
      )}
    </>
  );
}
