import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type {
  UsageHistory,
  UsagePeriod,
  UsageReply,
  UsageShare,
} from "../../../src/protocol/usage.ts";
import {
  change,
  compact,
  elapsedPart,
  type Measure,
  measureOf,
  type Metric,
  money,
  nearText,
  paceOf,
  pointsOf,
  type Share,
  sharesOf,
  tokens,
} from "../../model/usage.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Queries } from "../../state/server/queries.ts";
import { IconButton, Icon, StatusIcon } from "../../ui/button.tsx";
import { Segments } from "../../ui/item.tsx";
import { Gauge } from "../../ui/gauge.tsx";
import { Section } from "../../ui/list.tsx";
import { QueryStatus } from "../parts/query-status.tsx";
import { TerminalText } from "../parts/text.tsx";
import { common, count, waitText } from "../../words/common.ts";

export const NOT_LOADED = "This could not be loaded";
const PACES = { ahead: "ahead of pace", on: "on pace", below: "below pace" };

const UNAVAILABLE = {
  disabled: "Usage is switched off in the settings.",
  not_installed: "The usage collector is not installed on the server.",
  timeout: "The usage collector did not answer in time.",
  error: "The usage collector failed.",
};

/** In place of figures: the reason why there are none, else the children. */
const NoFigures = (props: {
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
      <QueryStatus query={usageQuery} failed={NOT_LOADED} isQuiet />
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

const PERIODS = { hourly: "Hours", daily: "Days", monthly: "Months" };
const TOP = 5;
const CHART_HEIGHT = 96;
/** The part of the width of a bar that stays empty. */
const GAP = 0.22;

export function Today(): JSX.Element | null {
  const today = usePart(Queries).query("GET /api/usage").value.value?.today ?? null;
  if (today === null) return null;
  const { totals, yesterday, cost_delta_pct: delta } = today;
  return (
    <Section
      kind="panel"
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
      <Shares title="By model" shares={today.top_models.map(costOf)} measure="cost" />
      <Shares title="By client" shares={today.top_clients.map(costOf)} measure="cost" />
    </Section>
  );
}

const costOf = ({ name, totals }: UsageShare): Share => [name, totals.cost];
const AMOUNTS = { cost: money, total: tokens };

function Shares(props: {
  readonly title: string;
  readonly shares: readonly Share[];
  readonly measure: Measure;
}): JSX.Element | null {
  const { title, shares, measure } = props;
  if (shares.length === 0) return null;
  const most = Math.max(...shares.map(([, amount]) => amount), Number.MIN_VALUE);
  return (
    <>
      <h3 class="mt-12 mb-4 fs-12 bold text-2">{title}</h3>
      <ul class="grid gap-8 fs-13">
        {shares.map(([name, amount]) => (
          <li key={name} class="grid gap-4">
            <span class="flex between gap-12">
              <span class="truncate">
                <TerminalText text={name} />
              </span>
              <span class="numbers">{AMOUNTS[measure](amount)}</span>
            </span>
            <Gauge value={amount} of={most} tone="accent" />
          </li>
        ))}
      </ul>
    </>
  );
}

export function History(): JSX.Element {
  const { query } = usePart(Queries);
  const [period, setPeriod] = useState<UsagePeriod>("daily");
  const history = query("GET /api/usage/history", { query: { period } });
  useEffect(() => history.watch(), [history]);
  return (
    <Section kind="panel" title="History">
      <QueryStatus query={history} failed={NOT_LOADED} isQuiet />
      <Segments label="History" options={PERIODS} chosen={period} onChoose={setPeriod} />
      <Chart period={period} reply={history.value.value} />
    </Section>
  );
}

function Chart(props: {
  readonly period: UsagePeriod;
  readonly reply: UsageHistory | null;
}): JSX.Element {
  const { period, reply } = props;
  if (reply === null) return <div class="chart relative" aria-hidden="true" />;
  if (reply.buckets.length === 0)
    return <NoFigures reply={reply}>Nothing was used in this time.</NoFigures>;
  const measure = measureOf(reply.buckets);
  const points = pointsOf(period, reply.buckets);
  const most = Math.max(...points.map(({ totals }) => totals[measure]));
  const highest = AMOUNTS[measure](most);
  const place = 100 / points.length;
  return (
    <>
      <figure class="chart relative">
        <figcaption class="numbers text-3 fs-12">{highest}</figcaption>
        <svg
          role="img"
          aria-label={`${PERIODS[period]}: ${count(points.length, "bar", "bars")}, the highest ${highest}`}
        >
          {points.map(({ bucket, totals, label }, i) => {
            const height = (totals[measure] / (most || 1)) * CHART_HEIGHT;
            const across = { x: `${place * (i + GAP / 2)}%`, width: `${place * (1 - GAP)}%` };
            return (
              <rect key={bucket} {...across} y={CHART_HEIGHT - height} height={height} rx="2">
                <title>{`${label}: ${AMOUNTS[measure](totals[measure])}`}</title>
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
                <td>{money(totals.cost)}</td>
                <td>{compact(totals.total)}</td>
                <td>{totals.messages}</td>
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
