import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ReviewSettingsPatch } from "../../../src/protocol/review.ts";
import type { SeenReview } from "../../../src/protocol/tolerant-agents.ts";
import { daysBetween } from "../../model/timeline.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { Item, SwitchItem } from "../../ui/item.tsx";
import { Segments } from "../../ui/segments.tsx";
import { count } from "../../words/common.ts";
import { whenText } from "../../words/times.ts";
import { useWatch, useWorkspace } from "../agents/use.ts";
import { useAct } from "../parts/act.ts";
import { useToday } from "../parts/derived.ts";
import { Fault, Group, NumberItem } from "./rows.tsx";

const OFF = "off";
const CUSTOM = "custom";

/** How often changes are collected into one alert; for everyone who uses this server. */
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
  const act = useAct("Not saved");
  // Only what was changed is sent: another person may have changed the rest.
  const save = async (patch: ReviewSettingsPatch) => {
    await act.run(() => workspace.api.changeReview(patch));
    void workspace.review.reload();
  };
  return (
    <>
      <Group title="Collect what changes" whose="everyone">
        <Interval
          settings={settings}
          onSave={(interval_minutes) => void save({ interval_minutes })}
        />
        <Windows review={review} />
      </Group>
      <Group title="Not collected">
        <Item label="Urgent decisions" hint="Those that an agent itself calls high or critical">
          <span class="item-value">Always at once</span>
        </Item>
        <SwitchItem
          label="Errors of panes"
          hint="Else they wait for the window too"
          isOn={settings.urgent_bypass.pane_errors}
          onChange={(urgent_pane_errors) => void save({ urgent_pane_errors })}
        />
      </Group>
      {act.fault !== "" && <Fault>{act.fault}</Fault>}
      <p class="page-text">Off means: every question alerts at once.</p>
    </>
  );
}

function Interval(props: {
  readonly settings: SeenReview["settings"];
  readonly onSave: (minutes: number | null) => void;
}): JSX.Element {
  const { settings, onSave } = props;
  const { interval_minutes: minutes, presets } = settings;
  const { min_interval_minutes: least, max_interval_minutes: most } = settings;
  const [isCustom, setCustom] = useState(false);
  const [fault, setFault] = useState("");
  const isOther = minutes !== null && !presets.includes(minutes);
  const chosen = isCustom || isOther ? CUSTOM : minutes === null ? OFF : String(minutes);
  const commit = (written: string) => {
    const value = /^\d+$/.test(written) ? Number(written) : Number.NaN;
    const isFit = value >= least && value <= most;
    setFault(isFit || written === "" ? "" : `${least} to ${count(most, "minute", "minutes")}.`);
    if (isFit && value !== minutes) onSave(value);
  };
  return (
    <>
      <div class="stacked-item">
        <Item
          label="Window"
          hint="Ordinary questions and changes wait for it. Then one notification comes, and only if there is something."
        />
        <Segments
          label="Window"
          chosen={chosen}
          options={[
            { value: OFF, label: "Off" },
            ...presets.map((preset) => ({ value: String(preset), label: `${preset} min` })),
            { value: CUSTOM, label: "Custom" },
          ]}
          onChoose={(value) => {
            setCustom(value === CUSTOM);
            setFault("");
            if (value !== CUSTOM) onSave(value === OFF ? null : Number(value));
          }}
        />
      </div>
      {chosen === CUSTOM && (
        <div class="item-box">
          <NumberItem
            label="Minutes between two windows"
            hint={`${least} to ${most} minutes`}
            unit="min"
            value={minutes}
            isWrong={fault !== ""}
            isHeld={fault !== ""}
            onCommit={commit}
          />
          {fault !== "" && (
            <Fault>
              {fault} {minutes === null ? "Still off." : `Still every ${minutes} min.`}
            </Fault>
          )}
        </div>
      )}
    </>
  );
}

/** When the next window ends, and when the last alert of one went out. */
function Windows({ review }: { readonly review: SeenReview }): JSX.Element | null {
  const today = useToday();
  const { next_due_at: next, last_digest_at: last } = review.settings;
  const at = (time: number) => whenText(time, daysBetween(time, today));
  if (next === null) return null;
  return (
    <>
      <Item label="Next" hint="Marking something as reviewed starts the window again">
        <span class="item-value numbers">{review.due.is_due ? "Due now" : at(next)}</span>
      </Item>
      {last !== null && (
        <Item label="Last one">
          <span class="item-value numbers">{at(last)}</span>
        </Item>
      )}
    </>
  );
}
