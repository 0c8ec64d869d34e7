import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { UsageHistory, UsagePeriod, UsageShare } from "../../../src/protocol/usage.ts";
import {
  change,
  compact,
  type Measure,
  measureOf,
  money,
  pointsOf,
  type Share,
  sharesOf,
  tokens,
} from "../../model/usage.ts";
import { usePart } from "../../state/client.ts";
import { Queries } from "../../state/server/queries.ts";
import { Segments } from "../../ui/item.tsx";
import { Gauge } from "../../ui/gauge.tsx";
import { Section } from "../../ui/list.tsx";
import { QueryStatus } from "../parts/query-status.tsx";
import { TerminalText } from "../parts/text.tsx";
import { count } from "../../words/common.ts";
import { NoFigures } from "./usage.tsx";

const PERIODS = { hourly: "Hours", daily: "Days", monthly: "Months" };
const TOP = 5;

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
      <QueryStatus query={history} isQuiet />
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
  return (
    <>
      <figure class="chart relative">
        <figcaption class="numbers text-3 fs-12">{highest}</figcaption>
        <div
          class="bars flex"
          role="img"
          aria-label={`${PERIODS[period]}: ${count(points.length, "bar", "bars")}, the highest ${highest}`}
          style={{ "--count": points.length }}
        >
          {points.map(({ bucket, totals, label }) => (
            <i
              key={bucket}
              title={`${label}: ${AMOUNTS[measure](totals[measure])}`}
              style={{ "--part": totals[measure] / (most || 1) }}
            />
          ))}
        </div>
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
