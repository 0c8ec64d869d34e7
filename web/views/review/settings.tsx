import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ReviewSettingsPatch } from "../../../src/protocol/review.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useBrowser } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { SwitchItem } from "../../ui/item.tsx";
import { Segments } from "../../ui/segments.tsx";
import { Sheet } from "../../ui/sheet.tsx";
import { common } from "../../words/common.ts";
import { reviewSettings as words } from "../../words/review.ts";
import { Notice } from "../answer/notices.tsx";
import { Group } from "../settings/group.tsx";
import { useFollowed, useWorkspace } from "./use.ts";

const OFF = "off";
const CUSTOM = "custom";

/** How often changes are collected; for everyone who uses this server. */
export function ReviewSettingsSheet(): JSX.Element | null {
  const { router } = useBrowser();
  const workspace = useWorkspace();
  useFollowed(workspace?.followed.review ?? null);
  return (
    <Sheet title={words.title} closeLabel={common.close} onClose={() => router.close()}>
      {workspace !== null && <Fields workspace={workspace} />}
    </Sheet>
  );
}

function Fields({ workspace }: { readonly workspace: Workspace }): JSX.Element | null {
  const settings = workspace.review.value.value?.settings ?? null;
  const [isCustom, setCustom] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  if (settings === null) return null;
  const { interval_minutes: minutes, presets } = settings;
  // Only what was changed is sent: another person may have changed the rest.
  const change = async (patch: ReviewSettingsPatch) => {
    const result = await workspace.api.changeReview(patch);
    setFailed(!result.ok);
    workspace.followed.review.retry();
  };
  const isOther = minutes !== null && !presets.includes(minutes);
  const chosen = isCustom || isOther ? CUSTOM : minutes === null ? OFF : String(minutes);
  const choose = (value: string) => {
    setCustom(value === CUSTOM);
    if (value === CUSTOM) return;
    void change({ interval_minutes: value === OFF ? null : Number(value) });
  };
  return (
    <>
      <p class="hint">{words.text}</p>
      <Group title={words.collect} whose="everyone">
        <div class="item">
          <Segments
            class="grow"
            label={words.collect}
            chosen={chosen}
            options={[
              { value: OFF, label: words.off },
              ...presets.map((preset) => ({ value: String(preset), label: words.minutes(preset) })),
              { value: CUSTOM, label: words.custom },
            ]}
            onChoose={choose}
          />
        </div>
        {chosen === CUSTOM && (
          <CustomInterval
            minutes={minutes}
            least={settings.min_interval_minutes}
            most={settings.max_interval_minutes}
            onSave={(interval_minutes) => void change({ interval_minutes })}
          />
        )}
        <SwitchItem
          label={words.failed}
          hint={words.failedHint}
          isOn={settings.urgent_bypass.pane_errors}
          onChange={(urgent_pane_errors) => void change({ urgent_pane_errors })}
        />
      </Group>
      {hasFailed && (
        <Notice icon="warning" tone="error" title={words.notSaved} isAlert>
          {words.notSavedText}
        </Notice>
      )}
    </>
  );
}

function CustomInterval(props: {
  readonly minutes: number | null;
  readonly least: number;
  readonly most: number;
  readonly onSave: (minutes: number) => void;
}): JSX.Element {
  const { minutes, least, most, onSave } = props;
  const [text, setText] = useState(minutes === null ? "" : String(minutes));
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  const isFit = value >= least && value <= most;
  return (
    <form
      class="item custom-interval"
      onSubmit={(event) => {
        event.preventDefault();
        if (isFit) onSave(value);
      }}
    >
      <label class={`field grow ${isFit || text === "" ? "" : "wrong"}`}>
        <input
          inputMode="numeric"
          aria-label={words.customLabel}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <Button type="submit" disabled={!isFit}>
        {words.save}
      </Button>
      <p class="hint">{words.customHint(least, most)}</p>
    </form>
  );
}
