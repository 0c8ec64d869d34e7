import type { JSX } from "preact";
import { useId } from "preact/hooks";
import type { UsageReply, UsageShare, UsageToday } from "../../../src/protocol/usage.ts";
import {
  elapsedPart,
  paceOf,
  remainingPercent,
  usedPercent,
  type Metric,
} from "../../model/usage.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { IconButton } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { common, count, waitText } from "../../words/common.ts";
import { change, money, nearText, tokens } from "../../words/formats.ts";
import { TerminalText } from "../parts/text.tsx";
import { Panel } from "./panel.tsx";

/** What is left of each quota, against the time that has passed. */
export function Usage(): JSX.Element {
  const { api, invalidate, query } = useServer();
  const { clock } = useBrowser();
  const asked = query("GET /api/usage");
  const usage = asked.value.value;
  const isLoading = asked.isLoading.value;
  // Has the server collect anew; its answer is what it then knows.
  const refresh = async () => {
    const json = { scope: "all" } as const;
    await asked.take((signal) => api.call("POST /api/usage/refresh", { json, signal }));
    invalidate("GET /api/usage/history");
  };
  return (
    <Panel
      title="Usage"
      failure={asked.failure.value}
      onRetry={() => void asked.load()}
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
      <Quotas usage={usage} />
    </Panel>
  );
}

function updatedText({ fetched_at }: UsageReply, now: number): string {
  if (fetched_at === 0) return "not yet fetched";
  const ago = Math.max(0, now - fetched_at);
  return ago < 5 ? "updated just now" : `updated ${waitText(ago)} ago`;
}

function Quotas({ usage }: { readonly usage: UsageReply | null }): JSX.Element {
  if (usage === null) return <p class="numbers">–</p>;
  if (!usage.available && usage.reason !== null)
    return (
      <p class="fs-13 text-2">
        {UNAVAILABLE[usage.reason]} {usage.detail ?? ""}
      </p>
    );
  if (usage.quotas.length === 0) return <p class="fs-13 text-2">The collector knows no quotas.</p>;
  return (
    <ul>
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
  const used = usedPercent(metric);
  const left = remainingPercent(metric);
  const elapsed = usage.stale ? null : elapsedPart(metric, now);
  const threshold = config.current.value?.usage_alert_threshold ?? 0;
  const isLow = left !== null && left <= threshold;
  return (
    <li class="quota">
      <div class="quota-head flex gap-8">
        <span class="grow">
          <TerminalText text={name} />
        </span>
        <b class={`numbers ${isLow ? "low" : ""}`}>
          {isLow && <Icon name="warning" class="small" />}
          {isLow && <span class="visually-hidden">Little is left. </span>}
          {left === null ? (metric.remaining_label ?? "–") : `${Math.round(left)}% left`}
        </b>
      </div>
      {used !== null && (
        <Meter name={name} used={used} elapsed={elapsed} tone={toneOf(usage.stale, isLow)} />
      )}
      <div class="quota-foot numbers between gap-8 text-2 fs-12">
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
            <span>{resetText(metric, now)}</span>
            {used !== null && elapsed !== null && (
              <span class={`pace-${paceOf(used, elapsed)}`}>{PACES[paceOf(used, elapsed)]}</span>
            )}
          </>
        )}
      </div>
    </li>
  );
}

function toneOf(isStale: boolean, isLow: boolean): string {
  if (isStale) return "old";
  return isLow ? "low" : "";
}

function resetText({ resets_at, resets_at_raw }: Metric, now: number): string {
  if (resets_at !== null) return `Resets ${nearText(resets_at, now)}`;
  return resets_at_raw === null ? "" : `Resets ${resets_at_raw}`;
}

/** The bar is what is used, the tick what has passed of the window. */
function Meter(props: {
  readonly name: string;
  readonly used: number;
  readonly elapsed: number | null;
  readonly tone: string;
}): JSX.Element {
  const { name, used, elapsed, tone } = props;
  const hatch = useId();
  const length = Math.max(0, Math.min(100, used));
  return (
    <svg
      class={`meter full ${tone}`}
      role="meter"
      aria-label={name}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(length)}
      aria-valuetext={
        elapsed === null
          ? `${Math.round(used)}% used`
          : `${Math.round(used)}% used, ${Math.round(elapsed * 100)}% of the time passed`
      }
    >
      <rect class="meter-track" y="3" width="100%" height="8" rx="4" />
      {tone === "old" && (
        <defs>
          <pattern
            id={hatch}
            width="7"
            height="7"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(25)"
          >
            <rect class="hatch" width="4" height="7" />
          </pattern>
        </defs>
      )}
      <rect
        class="meter-bar"
        y="3"
        width={`${length}%`}
        height="8"
        rx="4"
        fill={tone === "old" ? `url(#${hatch})` : undefined}
      />
      {elapsed !== null && (
        <rect class="meter-tick" x={`${elapsed * 99.5}%`} width="2" height="14" rx="1" />
      )}
    </svg>
  );
}

/** What today has taken, beside yesterday. */
export function Today(): JSX.Element | null {
  const today = useServer().query("GET /api/usage").value.value?.today ?? null;
  if (today === null) return null;
  const { totals, yesterday } = today;
  return (
    <Panel
      title="Today"
      end={
        <span class="numbers">
          {yesterday === null ? "Nothing yesterday" : `Yesterday ${money(yesterday.cost)}`}
        </span>
      }
    >
      <p class="today">
        <b class="numbers">{money(totals.cost)}</b>
        <span class="numbers">{deltaText(today)}</span>
      </p>
      <p class="fs-13 text-2 numbers">
        {tokens(totals.total)} · {count(totals.messages, "message", "messages")}
      </p>
      <Shares title="By model" shares={today.top_models} measure="cost" />
      <Shares title="By client" shares={today.top_clients} measure="cost" />
    </Panel>
  );
}

const deltaText = ({ cost_delta_pct }: UsageToday): string =>
  cost_delta_pct === null ? "" : `${change(cost_delta_pct / 100)} against yesterday`;

/** Names with what they took, as numbers and as lengths. */
export function Shares(props: {
  readonly title: string;
  readonly shares: readonly UsageShare[];
  readonly measure: "cost" | "total";
}): JSX.Element | null {
  const { title, shares, measure } = props;
  if (shares.length === 0) return null;
  const most = Math.max(...shares.map(({ totals }) => totals[measure]));
  return (
    <>
      <h3 class="panel-sub text-2 fs-12 bold">{title}</h3>
      <ul class="shares">
        {shares.map(({ name, totals }) => (
          <li key={name}>
            <span class="truncate">
              <TerminalText text={name} />
            </span>
            <span class="numbers">
              {measure === "cost" ? money(totals.cost) : tokens(totals.total)}
            </span>
            <svg class="share" aria-hidden="true">
              <rect
                width={`${most === 0 ? 0 : (totals[measure] / most) * 100}%`}
                height="4"
                rx="2"
              />
            </svg>
          </li>
        ))}
      </ul>
    </>
  );
}

const PACES = { ahead: "ahead of pace", on: "on pace", below: "below pace" };

/** Why nothing is known of what is used. */
export const UNAVAILABLE = {
  disabled: "Usage is switched off in the settings.",
  not_installed: "The usage collector is not installed on the server.",
  timeout: "The usage collector did not answer in time.",
  error: "The usage collector failed.",
};
