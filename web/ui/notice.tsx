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
