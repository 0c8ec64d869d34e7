import type { JSX } from "preact";
import { useServer } from "../../state/client.ts";
import { LinkItem } from "../../ui/item.tsx";
import { settings as words } from "../../words/settings.ts";
import { Group } from "./group.tsx";
import { MAX_PATTERNS } from "./patterns.tsx";
import { ServerChoice, ServerNumber, ServerSwitch } from "./server-fields.tsx";

/** What the server keeps and all browsers share. */
export function EveryoneSettings(props: {
  readonly onOpen: (page: string) => void;
}): JSX.Element | null {
  const { onOpen } = props;
  const { config } = useServer();
  const server = config.current.value;
  if (server === null) return null;
  const patternCount = (patterns: readonly string[]) =>
    words.patternCount(patterns.length, MAX_PATTERNS);
  return (
    <>
      <Group title={words.server} whose="everyone">
        <ServerNumber
          name="poll_interval"
          label={words.pollInterval}
          hint={words.pollIntervalHint}
        />
        <ServerNumber
          name="capture_lines"
          label={words.captureLines}
          hint={words.captureLinesHint}
        />
        <ServerSwitch name="auto_discover" label={words.discover} hint={words.discoverHint} />
        <ServerSwitch name="include_shells" label={words.shells} />
        <ServerChoice name="naming_mode" label={words.naming} options={words.namingModes} />
        <LinkItem
          label={words.panes}
          value={String(server.overrides.length)}
          onClick={() => onOpen("settings-panes")}
        />
      </Group>
      <Group title={words.detection} whose="everyone">
        <LinkItem
          label={words.prompts}
          value={patternCount(server.generic_prompt_patterns)}
          onClick={() => onOpen("settings-prompts")}
        />
        <LinkItem
          label={words.errors}
          value={patternCount(server.error_patterns)}
          onClick={() => onOpen("settings-errors")}
        />
      </Group>
      <UsageGroup />
      <Group title={words.workspace} whose="everyone">
        <LinkItem
          label={words.workspace}
          hint={words.workspaceHint}
          value={server.experimental_agent_workspace_enabled ? words.on : words.off}
          onClick={() => onOpen("settings-workspace")}
        />
      </Group>
    </>
  );
}

function UsageGroup(): JSX.Element {
  const { config } = useServer();
  const usage = config.current.value?._info.usage;
  const isOn = config.current.value?.usage_enabled === true;
  return (
    <Group title={words.usage} whose="everyone">
      <ServerSwitch name="usage_enabled" label={words.usageEnabled} hint={usageHint(isOn, usage)} />
      <ServerNumber
        name="usage_quota_refresh"
        label={words.quotaRefresh}
        hint={words.quotaRefreshHint}
      />
      <ServerNumber
        name="usage_report_refresh"
        label={words.reportRefresh}
        hint={words.reportRefreshHint}
      />
      <ServerNumber
        name="usage_alert_threshold"
        label={words.threshold}
        hint={words.thresholdHint}
      />
    </Group>
  );
}

function usageHint(
  isOn: boolean,
  usage: { readonly installed: boolean; readonly last_error: string | null } | undefined,
): string {
  if (!isOn || usage === undefined) return words.usageHint;
  if (!usage.installed) return words.usageMissing;
  return usage.last_error === null ? words.usageHint : words.usageFailed(usage.last_error);
}
