import type { JSX } from "preact";
import { useId } from "preact/hooks";

/** A bar; without a label it is hidden from screen readers, for the text beside it says the same. */
export function Gauge(props: {
  readonly value: number;
  readonly of: number;
  readonly label?: string;
  /** What screen readers say in place of the value. */
  readonly text?: string;
  /** `stale` is hatched. */
  readonly tone?: "accent" | "working" | "error" | "needs" | "stale";
  /** Position of a tick, from 0 to 1. */
  readonly tick?: number | null;
}): JSX.Element {
  const { value, of: whole, label, text, tone = "", tick = null } = props;
  const hatch = useId();
  const figures = {
    "aria-label": label,
    "aria-valuemin": 0,
    "aria-valuemax": whole,
    "aria-valuenow": Math.round(value),
    "aria-valuetext": text,
  };
  return (
    <svg
      class={`gauge full grow ${tone}`}
      {...(label === undefined ? { "aria-hidden": true } : { role: "meter", ...figures })}
    >
      <rect class="track" width="100%" height="100%" rx="2" />
      {tone === "stale" && (
        <pattern id={hatch} width="7" height="7" patternUnits="userSpaceOnUse">
          <rect width="4" height="7" />
        </pattern>
      )}
      <rect
        width={`${(100 * value) / whole}%`}
        height="100%"
        rx="2"
        fill={tone === "stale" ? `url(#${hatch})` : undefined}
      />
      {tick !== null && (
        <rect class="tick" x={`${tick * 99.5}%`} y="-3" width="2" height="14" rx="1" />
      )}
    </svg>
  );
}
