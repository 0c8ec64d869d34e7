import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { UsageHistory, UsagePeriod } from "../../../src/protocol/usage.ts";
import { dateTextOf, measureOf, pointsOf, sharesOf, type Point } from "../../model/usage.ts";
import { useServer } from "../../state/client.ts";
import { Segments } from "../../ui/segments.tsx";
import { count } from "../../words/common.ts";
import { bucketText, compact, money, tokens } from "../../words/formats.ts";
import { Panel } from "./panel.tsx";
import { Shares, UNAVAILABLE } from "./usage.tsx";

const PERIODS = ["hourly", "daily", "monthly"] as const satisfies readonly UsagePeriod[];
const TOP = 5;
const CHART_HEIGHT = 96;
/** Part of a bar's place that stays empty. */
const GAP = 0.22;

/** What was used over time: bars, the table behind them, and who took how much. */
export function History(): JSX.Element {
  const { query } = useServer();
  const [period, setPeriod] = useState<UsagePeriod>("daily");
  const history = query("GET /api/usage/history", { query: { period } });
  useEffect(() => history.watch(), [history]);
  const reply = history.value.value;
  return (
    <Panel title="History" failure={history.failure.value} onRetry={() => void history.load()}>
      <Segments
        label="History"
        options={PERIODS.map((value) => ({ value, label: PERIOD_NAMES[value] }))}
        chosen={period}
        onChoose={setPeriod}
      />
      <Charted period={period} reply={reply} />
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
  const points = pointsOf(period, reply.buckets);
  const measure = measureOf(reply.buckets);
  return (
    <>
      <Chart period={period} points={points} measure={measure} />
      <Table period={period} points={points} />
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

interface ChartProps {
  readonly period: UsagePeriod;
  readonly points: readonly Point[];
}

function Chart(props: ChartProps & { readonly measure: "cost" | "total" }): JSX.Element {
  const { period, points, measure } = props;
  const valueOf = ({ totals }: Point) => totals?.[measure] ?? 0;
  const most = Math.max(...points.map(valueOf));
  const text = (value: number) => (measure === "cost" ? money(value) : tokens(value));
  const place = 100 / points.length;
  const label = (point: Point | undefined) =>
    point === undefined ? "" : bucketText(period, dateTextOf(point.bucket));
  return (
    <figure class="chart relative">
      <figcaption class="chart-most numbers text-3">{text(most)}</figcaption>
      <svg
        role="img"
        aria-label={`${PERIOD_NAMES[period]}: ${count(points.length, "bar", "bars")}, the highest ${text(most)}`}
      >
        {points.map((point, i) => {
          const height = most === 0 ? 0 : (valueOf(point) / most) * CHART_HEIGHT;
          return (
            <rect
              key={point.bucket}
              class="chart-bar"
              x={`${place * (i + GAP / 2)}%`}
              width={`${place * (1 - GAP)}%`}
              y={CHART_HEIGHT - height}
              height={height}
              rx="2"
            >
              <title>{`${label(point)}: ${text(valueOf(point))}`}</title>
            </rect>
          );
        })}
        <rect class="chart-base" y={CHART_HEIGHT} width="100%" height="1" />
      </svg>
      <div class="chart-ends numbers between mt-4 text-2 fs-12" aria-hidden="true">
        <span>{label(points[0])}</span>
        {points.length > 1 && <span>{label(points.at(-1))}</span>}
      </div>
    </figure>
  );
}

function Table({ period, points }: ChartProps): JSX.Element {
  return (
    <details class="chart-table mt-4 fs-13">
      <summary>As a table</summary>
      <table>
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
          {points.map(({ bucket, totals }) => (
            <tr key={bucket}>
              <th scope="row">{bucketText(period, dateTextOf(bucket))}</th>
              <td>{money(totals?.cost ?? 0)}</td>
              <td>{compact(totals?.total ?? 0)}</td>
              <td>{totals?.messages ?? 0}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

const PERIOD_NAMES = { hourly: "Hours", daily: "Days", monthly: "Months" };
