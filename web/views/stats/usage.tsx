import type { JSX } from "preact";
import type { UsageReply } from "../../../src/protocol/usage.ts";
import { elapsedPart, type Metric, nearText, paceOf } from "../../model/usage.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Queries } from "../../state/server/queries.ts";
import { IconButton, Icon, StatusIcon } from "../../ui/button.tsx";
import { Gauge } from "../../ui/gauge.tsx";
import { Section } from "../../ui/list.tsx";
import { QueryStatus } from "../parts/query-status.tsx";
import { TerminalText } from "../parts/text.tsx";
import { common, waitText } from "../../words/common.ts";

const PACES = { ahead: "ahead of pace", on: "on pace", below: "below pace" };

const UNAVAILABLE = {
  disabled: "Usage is switched off in the settings.",
  not_installed: "The usage collector is not installed on the server.",
  timeout: "The usage collector did not answer in time.",
  error: "The usage collector failed.",
};

/** In place of figures: the reason why there are none, else the children. */
export const NoFigures = (props: {
  readonly reply: Pick<UsageReply, "available" | "reason" | "detail">;
  readonly children: string;
}): JSX.Element => {
  const { available, reason, detail } = props.reply;
  const isUnknown = !available && reason !== null;
  return (
    <p class="fs-13 text-2">
      {isUnknown ? `${UNAVAILABLE[reason]} ${detail ?? ""}` : props.children}
    </p>
  );
};

/** What is left of each quota, beside the elapsed part of its window. */
export function Usage(): JSX.Element {
  const { api } = useServer();
  const { invalidate, query } = usePart(Queries);
  const { clock } = useBrowser();
  const usageQuery = query("GET /api/usage");
  const usage = usageQuery.value.value;
  const isLoading = usageQuery.isLoading.value;
  // The server collects anew and answers with the result.
  const refresh = async () => {
    const json = { scope: "all" } as const;
    await usageQuery.fetchWith((signal) => api.call("POST /api/usage/refresh", { json, signal }));
    invalidate("GET /api/usage/history");
  };
  return (
    <Section
      kind="panel"
      title="Usage"
      end={
        <>
          {usage !== null && usage.available && (
            <span class="numbers">{updatedText(usage, clock.now.value)}</span>
          )}
          <IconButton
            icon="refresh"
            class={`panel-button ${isLoading ? "busy" : ""}`}
            label="Refresh usage"
            aria-busy={isLoading}
            disabled={isLoading}
            onClick={() => void refresh()}
          />
        </>
      }
    >
      <QueryStatus query={usageQuery} isQuiet />
      <Quotas usage={usage} />
    </Section>
  );
}

function updatedText({ fetched_at }: UsageReply, now: number): string {
  if (fetched_at === 0) return "not yet fetched";
  const ago = Math.max(0, now - fetched_at);
  return ago < 5 ? "updated just now" : `updated ${waitText(ago)} ago`;
}

function Quotas({ usage }: { readonly usage: UsageReply | null }): JSX.Element {
  if (usage === null) return <p class="numbers">–</p>;
  if (usage.quotas.length === 0)
    return <NoFigures reply={usage}>The collector knows no quotas.</NoFigures>;
  return (
    <ul class="grid gap-12">
      {usage.quotas.flatMap(({ provider, metrics }) =>
        metrics.map((metric) => (
          <Quota
            key={`${provider} ${metric.label}`}
            name={`${provider}, ${metric.label}`}
            metric={metric}
            usage={usage}
          />
        )),
      )}
    </ul>
  );
}

function Quota(props: {
  readonly name: string;
  readonly metric: Metric;
  readonly usage: UsageReply;
}): JSX.Element {
  const { name, metric, usage } = props;
  const { config } = useServer();
  const { clock } = useBrowser();
  const now = clock.now.value;
  const { used_percent: used, remaining_percent: left } = metric;
  const elapsed = usage.stale ? null : elapsedPart(metric, now);
  const threshold = config.current.value?.usage_alert_threshold ?? 0;
  const isLow = left !== null && left <= threshold;
  const passed = elapsed === null ? "" : `, ${Math.round(elapsed * 100)}% of the time passed`;
  const { resets_at: at, resets_at_raw: raw } = metric;
  const resets = at === null ? raw : nearText(at, now);
  return (
    <li>
      <div class="quota-head flex gap-8">
        <span class="grow">
          <TerminalText text={name} />
        </span>
        <b class={`inline gap-4 numbers ${isLow ? "low" : ""}`}>
          {isLow && <Icon name="warning" class="small" />}
          {isLow && <span class="visually-hidden">Little is left. </span>}
          {left === null ? (metric.remaining_label ?? "–") : `${Math.round(left)}% left`}
        </b>
      </div>
      {used !== null && (
        <Gauge
          label={name}
          value={Math.max(0, Math.min(100, used))}
          of={100}
          text={`${Math.round(used)}% used${passed}`}
          tone={usage.stale ? "stale" : isLow ? "needs" : "accent"}
          // The tick is the elapsed part of the window.
          tick={elapsed}
        />
      )}
      <div class="quota-foot flex numbers between gap-8 text-2 fs-12">
        {usage.stale ? (
          <>
            <span class="wait stale">
              <StatusIcon shape="stale" label={common.status.stale} />
              last good value {nearText(usage.fetched_at, now)}
            </span>
            <span>refresh failed</span>
          </>
        ) : (
          <>
            <span>{resets && `Resets ${resets}`}</span>
            {used !== null && elapsed !== null && (
              <span class={`pace-${paceOf(used, elapsed)}`}>{PACES[paceOf(used, elapsed)]}</span>
            )}
          </>
        )}
      </div>
    </li>
  );
}
