import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Icon, type IconName } from "./button.tsx";

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
  readonly role?: "alert" | "status" | undefined;
  /** With the margins of a list. */
  readonly isBoxed?: boolean;
  readonly children?: ComponentChildren;
  /** Buttons side by side. */
  readonly actions?: ComponentChildren;
}): JSX.Element {
  const { tone, title, icon = ICONS[tone], role, isBoxed = false, children, actions } = props;
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

/** In the place of a list or a page that has nothing. */
export function Empty(props: {
  readonly title: string;
  readonly text?: ComponentChildren;
  /** A drawing above the title. */
  readonly mark?: ComponentChildren;
  readonly level?: 1 | 2;
  /** Small, where it stands among other things. */
  readonly isBrief?: boolean;
  readonly role?: "alert" | "status";
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { title, text, mark, level = 2, isBrief = false, role, children } = props;
  const Level = `h${level}` as "h1" | "h2";
  return (
    <div class={`empty flex stack gap-6 ${isBrief ? "brief" : ""}`} role={role}>
      {mark}
      <Level>{title}</Level>
      {text !== undefined && <p>{text}</p>}
      {children}
    </div>
  );
}

/** The logo: three panes, one of them lit, or with a tick where none waits. */
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

const SHOWN_AFTER_MS = 300;

/** Two empty cards, once loading takes long. */
export function Skeletons(): JSX.Element | null {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isSlow) return null;
  return (
    <div role="status" aria-label="Loading">
      {[0, 1].map((i) => (
        <div key={i} class="card skeleton grid gap-12" aria-hidden="true">
          <i class="bone short" />
          <i class="bone tall" />
          <i class="bone" />
          <i class="bone tall" />
          <i class="bone tall" />
        </div>
      ))}
    </div>
  );
}
