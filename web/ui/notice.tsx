// Notice: an icon, a sentence in bold, and what can be done, on a tint.
// Props: tone, icon (the tone's own when absent), title, isAlert (said at once; else `status` where
// isStatus), isBoxed (with the margins of a list), children (text), actions (buttons side by side).
import type { ComponentChildren, JSX } from "preact";
import { Icon, type IconName } from "./icons.tsx";

type Tone = "stale" | "needs" | "error" | "good";

const ICONS: Readonly<Record<Tone, IconName>> = {
  stale: "clock",
  needs: "info",
  error: "warning",
  good: "check",
};

export function Notice(props: {
  readonly tone: Tone;
  readonly title?: ComponentChildren;
  readonly icon?: IconName;
  readonly isAlert?: boolean;
  readonly isStatus?: boolean;
  readonly isBoxed?: boolean;
  readonly children?: ComponentChildren;
  readonly actions?: ComponentChildren;
}): JSX.Element {
  const { tone, title, icon = ICONS[tone], isBoxed = false, children, actions } = props;
  const role = props.isAlert === true ? "alert" : props.isStatus === true ? "status" : undefined;
  return (
    <div
      class={`notice gap-10 fs-13 prose round-2 ${tone} ${isBoxed ? "boxed-notice" : ""}`}
      role={role}
    >
      <Icon name={icon} />
      <div class="grow">
        {title !== undefined && <b>{title}</b>}
        {children}
        {actions !== undefined && <div class="actions">{actions}</div>}
      </div>
    </div>
  );
}

// Empty: what stands where a list or a page has nothing: a sentence in bold, a line below, what can be
// done. Props: title, text, mark (a drawing above), level of the heading, isBrief (small, among other
// things), isStatus (said when it comes), children (buttons).

export function Empty(props: {
  readonly title: string;
  readonly text?: ComponentChildren;
  readonly mark?: ComponentChildren;
  readonly level?: 1 | 2;
  readonly isBrief?: boolean;
  readonly isStatus?: boolean;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { title, text, mark, level = 2, isBrief = false, isStatus = false, children } = props;
  const Level = `h${level}` as "h1" | "h2";
  return (
    <div class={`empty ${isBrief ? "brief" : ""}`} role={isStatus ? "status" : undefined}>
      {mark}
      <Level>{title}</Level>
      {text !== undefined && <p>{text}</p>}
      {children}
    </div>
  );
}

/** The sign of the product: three panes, one of them lit, or a tick when none needs you; neither where nothing is seen. */
export function Mark({ lit }: { readonly lit?: boolean }): JSX.Element {
  return (
    <svg class={`mark ${lit === true ? "lit" : ""}`} viewBox="0 0 56 56" aria-hidden="true">
      <rect class="frame" x="2" y="2" width="52" height="52" rx="14" />
      <rect class="part" x="11" y="11" width="15.5" height="34" rx="4" />
      <rect class="part light" x="29.5" y="11" width="15.5" height="15.5" rx="4" />
      <rect class="part" x="29.5" y="29.5" width="15.5" height="15.5" rx="4" />
      {lit === false && <path class="tick" d="m33 19 3 3 5.5-6.4" />}
    </svg>
  );
}
