import type { JSX } from "preact";
import { VERSION } from "../../../src/protocol/version.ts";
import { reasonOf } from "../../net/api.ts";
import { useServer } from "../../state/client.ts";
import { hosts as hostWords } from "../../words/hosts.ts";
import { settings as words } from "../../words/settings.ts";
import { EditList } from "./edit-list.tsx";
import { Group, Leads, ServerChoice, ServerNumber, ServerSwitch } from "./rows.tsx";

/** As many as the server takes. */
const MAX_PATTERNS = 40;

/** What the server keeps and all browsers share. */
export function ServerSettings(): JSX.Element | null {
  const { config, hosts } = useServer();
  const server = config.current.value;
  if (server === null) return null;
  const countOf = (patterns: readonly string[]) =>
    words.patternCount(patterns.length, MAX_PATTERNS);
  return (
    <>
      <Group title={words.watching} whose="everyone">
        {server._info.capabilities.hosts_v1?.enabled === true && (
          <Leads
            to="settings-hosts"
            label={hostWords.title}
            value={String(hosts.value.length || 1)}
          />
        )}
        <ServerNumber name="poll_interval" label={words.poll} hint={words.pollHint} />
        <ServerNumber name="capture_lines" label={words.captured} hint={words.capturedHint} />
        <ServerSwitch name="auto_discover" label={words.discover} hint={words.discoverHint} />
        <ServerSwitch name="include_shells" label={words.shells} />
      </Group>
      <Group title={words.named} whose="everyone">
        <ServerChoice name="naming_mode" label={words.naming} options={words.namingModes} />
        <Leads to="settings-panes" label={words.panes} value={String(server.overrides.length)} />
      </Group>
      <Group title={words.detection} whose="everyone">
        <Leads
          to="settings-prompts"
          label={words.prompts}
          value={countOf(server.generic_prompt_patterns)}
        />
        <Leads to="settings-errors" label={words.errors} value={countOf(server.error_patterns)} />
      </Group>
      <Group title={words.usage} whose="everyone">
        <ServerSwitch name="usage_enabled" label={words.usageEnabled} hint={useUsageHint()} />
        <ServerNumber name="usage_quota_refresh" label={words.quota} hint={words.quotaHint} />
        <ServerNumber name="usage_report_refresh" label={words.report} hint={words.reportHint} />
        <ServerNumber
          name="usage_alert_threshold"
          label={words.threshold}
          hint={words.thresholdHint}
        />
      </Group>
      <p class="version">{words.version(VERSION, config.serverVersion.value)}</p>
    </>
  );
}

function useUsageHint(): string {
  const config = useServer().config.current.value;
  const usage = config?._info.usage;
  if (config?.usage_enabled !== true || usage === undefined) return words.usageHint;
  if (!usage.installed) return words.usageMissing;
  return usage.last_error === null ? words.usageHint : words.usageFailed(usage.last_error);
}

/** One list of detector patterns. */
export function Patterns(props: {
  readonly name: "generic_prompt_patterns" | "error_patterns";
  readonly text: string;
}): JSX.Element {
  const { name, text } = props;
  const { config, settings } = useServer();
  return (
    <>
      <p class="page-text">{text}</p>
      <EditList
        isCode
        items={config.current.value?.[name] ?? []}
        most={MAX_PATTERNS}
        labelOf={words.pattern}
        newLabel={words.newPattern}
        removeLabel={words.remove}
        save={async (next) => {
          const failure = await settings.change(name, next);
          if (failure === null) return null;
          return failure.kind === "lost" ? words.lost : words.failed(reasonOf(failure));
        }}
      />
    </>
  );
}
