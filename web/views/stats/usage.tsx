import type { JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import type {
  UsageHistory,
  UsagePeriod,
  UsageReply,
  UsageShare,
  UsageTotals,
} from "../../../src/protocol/usage.ts";
import {
  dateTextOf,
  elapsedPart,
  measureOf,
  paceOf,
  pointsOf,
  remainingPercent,
  sharesOf,
  usedPercent,
  type Metric,
  bucketText,
  change,
  compact,
  money,
  nearText,
  tokens,
} from "../../model/usage.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Questions } from "../../state/server/questions.ts";
import { IconButton } from "../../ui/button.tsx";
import { Gauge } from "../../ui/gauge.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { Segments } from "../../ui/segments.tsx";
import { common, count, waitText } from "../../words/common.ts";
import { TerminalText } from "../parts/text.tsx";
import { Panel } from "./stats.tsx";

const PERIODS = ["hourly", "daily", "monthly"] as const satisfies readonly UsagePeriod[];
const PERIOD_NAMES = { hourly: "Hours", daily: "Days", monthly: "Months" };
const PACES = { ahead: "ahead of pace", on: "on pace", below: "below pace" };
const TOP = 5;
const CHART_HEIGHT = 96;
/** Part of a bar's place that stays empty. */
const GAP = 0.22;

/** Why nothing is known of what is used. */
const UNAVAILABLE = {
  disabled: "Usage is switched off in the settings.",
  not_installed: "The usage collector is not installed on the server.",
  timeout: "The usage collector did not answer in time.",
  error: "The usage collector failed.",
};

/** What is left of each quota, against the time that has passed. */
export function Usage(): JSX.Element {
  const { api } = useServer();
  const { invalidate, query } = usePart(Questions);
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
      of={asked}
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
  const used = usedPercent(metric);
  const left = remainingPercent(metric);
  const elapsed = usage.stale ? null : elapsedPart(metric, now);
  const threshold = config.current.value?.usage_alert_threshold ?? 0;
  const isLow = left !== null && left <= threshold;
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
        <Meter
          name={name}
          used={used}
          elapsed={elapsed}
          tone={usage.stale ? "old" : isLow ? "low" : ""}
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
  const passed = elapsed === null ? "" : `, ${Math.round(elapsed * 100)}% of the time passed`;
  return (
    <svg
      class={`meter full ${tone}`}
      role="meter"
      aria-label={name}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(length)}
      aria-valuetext={`${Math.round(used)}% used${passed}`}
    >
      <rect class="meter-track" y="3" width="100%" height="8" rx="4" />
      {tone === "old" && (
        <pattern id={hatch} width="7" height="7" patternUnits="userSpaceOnUse">
          <rect class="hatch" width="4" height="7" />
        </pattern>
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
  const today = usePart(Questions).query("GET /api/usage").value.value?.today ?? null;
  if (today === null) return null;
  const { totals, yesterday, cost_delta_pct: delta } = today;
  return (
    <Panel
      title="Today"
      end={
        <span class="numbers">
          {yesterday === null ? "Nothing yesterday" : `Yesterday ${money(yesterday.cost)}`}
        </span>
      }
    >
      <p class="today flex wrap baseline gap-12">
        <b class="numbers">{money(totals.cost)}</b>
        <span class="fs-13 text-2 numbers">
          {delta !== null && `${change(delta / 100)} against yesterday`}
        </span>
      </p>
      <p class="fs-13 text-2 numbers">
        {tokens(totals.total)} · {count(totals.messages, "message", "messages")}
      </p>
      <Shares title="By model" shares={today.top_models} measure="cost" />
      <Shares title="By client" shares={today.top_clients} measure="cost" />
    </Panel>
  );
}

type Measure = "cost" | "total";
const measured = (totals: UsageTotals | null, by: Measure): string =>
  by === "cost" ? money(totals?.cost ?? 0) : tokens(totals?.total ?? 0);

/** Names with what they took, as numbers and as lengths. */
function Shares(props: {
  readonly title: string;
  readonly shares: readonly UsageShare[];
  readonly measure: Measure;
}): JSX.Element | null {
  const { title, shares, measure } = props;
  if (shares.length === 0) return null;
  const most = Math.max(...shares.map(({ totals }) => totals[measure]), Number.MIN_VALUE);
  return (
    <>
      <h3 class="mt-12 mb-4 fs-12 bold text-2">{title}</h3>
      <ul class="grid gap-8 fs-13">
        {shares.map(({ name, totals }) => (
          <li key={name} class="grid gap-4">
            <span class="flex between gap-12">
              <span class="truncate">
                <TerminalText text={name} />
              </span>
              <span class="numbers">{measured(totals, measure)}</span>
            </span>
            <Gauge value={totals[measure]} of={most} tone="accent" />
          </li>
        ))}
      </ul>
    </>
  );
}

/** What was used over time: bars, the table behind them, and who took how much. */
export function History(): JSX.Element {
  const { query } = usePart(Questions);
  const [period, setPeriod] = useState<UsagePeriod>("daily");
  const history = query("GET /api/usage/history", { query: { period } });
  useEffect(() => history.watch(), [history]);
  return (
    <Panel title="History" of={history}>
      <Segments
        label="History"
        options={PERIODS.map((value) => ({ value, label: PERIOD_NAMES[value] }))}
        chosen={period}
        onChoose={setPeriod}
      />
      <Charted period={period} reply={history.value.value} />
    </Panel>
  );
}

function Charted(props: {
  readonly period: UsagePeriod;
  readonly reply: UsageHistory | null;
}): JSX.Element {
  const { period, reply } = props;
  if (reply === null) return <div class="chart relative" aria-hidden="true" />;
  if (!reply.available && reply.reason !== null)
    return <p class="fs-13 text-2">{UNAVAILABLE[reply.reason]}</p>;
  if (reply.buckets.length === 0) return <p class="fs-13 text-2">Nothing was used in this time.</p>;
  const measure = measureOf(reply.buckets);
  const points = pointsOf(period, reply.buckets).map(({ bucket, totals }) => ({
    ...{ bucket, totals },
    label: bucketText(period, dateTextOf(bucket)),
  }));
  const most = Math.max(...points.map(({ totals }) => totals?.[measure] ?? 0));
  const highest = measure === "cost" ? money(most) : tokens(most);
  const place = 100 / points.length;
  return (
    <>
      <figure class="chart relative">
        <figcaption class="numbers text-3 fs-12">{highest}</figcaption>
        <svg
          role="img"
          aria-label={`${PERIOD_NAMES[period]}: ${count(points.length, "bar", "bars")}, the highest ${highest}`}
        >
          {points.map(({ bucket, totals, label }, i) => {
            const height = ((totals?.[measure] ?? 0) / (most || 1)) * CHART_HEIGHT;
            const across = { x: `${place * (i + GAP / 2)}%`, width: `${place * (1 - GAP)}%` };
            return (
              <rect key={bucket} {...across} y={CHART_HEIGHT - height} height={height} rx="2">
                <title>{`${label}: ${measured(totals, measure)}`}</title>
              </rect>
            );
          })}
          <rect class="chart-base" y={CHART_HEIGHT} width="100%" height="1" />
        </svg>
        <div class="flex numbers between mt-4 text-2 fs-12" aria-hidden="true">
          <span>{points[0]?.label}</span>
          {points.length > 1 && <span>{points.at(-1)?.label}</span>}
        </div>
      </figure>
      <details class="chart-table mt-4 fs-13">
        <summary class="flex tap text-accent">As a table</summary>
        <table class="full numbers">
          <thead>
            <tr>
              {["Time", "Cost", "Tokens", "Messages"].map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {points.map(({ bucket, totals, label }) => (
              <tr key={bucket}>
                <th scope="row">{label}</th>
                <td>{money(totals?.cost ?? 0)}</td>
                <td>{compact(totals?.total ?? 0)}</td>
                <td>{totals?.messages ?? 0}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
      {(["by_model", "by_client"] as const).map((by) => (
        <Shares
          key={by}
          title={by === "by_model" ? "By model" : "By client"}
          shares={sharesOf(reply.buckets, by, measure).slice(0, TOP)}
          measure={measure}
        />
      ))}
    </>
  );
}
