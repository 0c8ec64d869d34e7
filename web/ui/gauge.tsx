import type { JSX } from "preact";

/** How much of a whole, as a bar over the width of its place; without a label what stands beside it says it. */
export function Gauge(props: {
  readonly value: number;
  readonly of: number;
  readonly label?: string;
  readonly tone?: "accent" | "working" | "error";
}): JSX.Element {
  const { value, of: whole, label, tone = "" } = props;
  const bar = (
    <svg class={`gauge full ${tone}`} aria-hidden="true">
      <rect class="track" width="100%" height="4" rx="2" />
      <rect width={`${(100 * value) / whole}%`} height="4" rx="2" />
    </svg>
  );
  if (label === undefined) return bar;
  const figures = { "aria-valuemin": 0, "aria-valuemax": whole, "aria-valuenow": value };
  return (
    <div class="grow" role="meter" aria-label={label} {...figures}>
      {bar}
    </div>
  );
}
