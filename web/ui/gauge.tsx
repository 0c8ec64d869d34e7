import type { JSX } from "preact";

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
  const figures = {
    "aria-label": label,
    "aria-valuemin": 0,
    "aria-valuemax": whole,
    "aria-valuenow": Math.round(value),
    "aria-valuetext": text,
  };
  return (
    <div
      class={`gauge relative grow ${tone}`}
      style={{ "--part": value / whole }}
      {...(label === undefined ? { "aria-hidden": true } : { role: "meter", ...figures })}
    >
      {tick !== null && <i style={{ "--tick": tick }} />}
    </div>
  );
}
