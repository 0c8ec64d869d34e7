import type { JSX } from "preact";
import { Icon, type IconName } from "./icons.tsx";

/** One line of a menu. */
export function MenuItem(props: {
  readonly icon: IconName;
  readonly label: string;
  /** It takes something away for good. */
  readonly isDanger?: boolean;
  readonly onClick: () => void;
}): JSX.Element {
  const { icon, label, isDanger = false, onClick } = props;
  return (
    <button type="button" class={`menu-row ${isDanger ? "danger-text" : ""}`} onClick={onClick}>
      <Icon name={icon} />
      {label}
    </button>
  );
}
