import type { ComponentChildren, JSX } from "preact";
import { Icon, type IconName } from "./icons.tsx";

type ButtonProps = Omit<JSX.IntrinsicElements["button"], "icon" | "size"> & {
  readonly tone?: "plain" | "primary" | "danger" | undefined;
  readonly size?: "small" | "block";
  readonly children?: ComponentChildren;
};

export function Button({ tone, size, children, class: extra, ...rest }: ButtonProps): JSX.Element {
  const classes = ["button", tone, size, extra].filter(Boolean).join(" ");
  return (
    <button type="button" class={classes} {...rest}>
      {children}
    </button>
  );
}

type IconButtonProps = Omit<JSX.IntrinsicElements["button"], "icon" | "label"> & {
  readonly icon: IconName;
  /** The accessible name; there is no visible text. */
  readonly label: string;
};

export function IconButton({ icon, label, class: extra, ...rest }: IconButtonProps): JSX.Element {
  return (
    <button type="button" class={`icon-button ${extra ?? ""}`} aria-label={label} {...rest}>
      <Icon name={icon} />
    </button>
  );
}
