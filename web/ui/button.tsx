// Buttons, and the icons that most of them carry.
import type { ComponentChildren, JSX } from "preact";

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

/** Filled in by the build: the address of `icons.svg`, which has the shapes. */
declare const ICONS: string;

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}`
  ? First | Words<Rest>
  : Text;

export type IconName =
  | Words<"queue active all stats cursor pencil check search plus sliders send copy star broadcast">
  | Words<"eye clock keyboard offline key refresh info warning shield lock blocked terminal link">
  | Words<"back close down next machine robot dots image camera wrap textSize folder bell braces">
  | Words<"phone screen toEnd sort sideBySide stacked decided goal book speech trash unlink">
  | Words<"clipboard stop up reply contrast share">;

const RETRY_MS = 5000;

/** Brings the shapes into the page: drawing an icon out of another document takes forty times as long. */
export async function loadIcons(): Promise<void> {
  try {
    const file = await fetch(ICONS);
    if (!file.ok) throw new Error(`the icons did not load: ${file.status}`);
    const shapes = new DOMParser().parseFromString(await file.text(), "image/svg+xml");
    for (const shape of shapes.querySelectorAll("symbol")) shape.id = `icon-${shape.id}`;
    shapes.documentElement.style.setProperty("display", "none");
    document.body.append(shapes.documentElement);
  } catch (fault) {
    console.warn(fault);
    setTimeout(() => void loadIcons(), RETRY_MS);
  }
}

/** A decorative icon; the control around it carries the name. */
export const Icon = (props: { name: IconName; class?: string }): JSX.Element => (
  <svg class={`icon icon-${props.name} ${props.class ?? ""}`} aria-hidden="true">
    <use href={`#icon-${props.name}`} />
  </svg>
);

const CLOCK = [
  <circle key="a" stroke-width="1.8" stroke-dasharray="2.6 2.1" cx="8" cy="8" r="6" />,
  <path key="b" stroke-width="1.7" d="M8 4.8V8l2.2 1.4" />,
];
const TICK = <path stroke-width="2.2" d="m2.5 8.5 3.6 3.6 7.4-8" />;

const STATUS_SHAPES = {
  needs_input: <path fill="currentColor" d="M8 1.5 14.5 8 8 14.5 1.5 8Z" />,
  error: [
    <path key="a" fill="currentColor" d="M8 2 15 14H1Z" />,
    <path key="b" class="cut" stroke-width="1.7" d="M8 6.2v3.6M8 12v.2" />,
  ],
  working: [
    <circle key="a" stroke-width="2.4" stroke-opacity="0.26" cx="8" cy="8" r="5.8" />,
    <path key="b" stroke-width="2.4" d="M8 2.2A5.8 5.8 0 1 1 2.2 8" />,
  ],
  finished: TICK,
  idle: <circle fill="currentColor" stroke="none" cx="8" cy="8" r="3.4" />,
  offline: [
    <circle key="a" stroke-width="1.8" cx="8" cy="8" r="5.8" />,
    <path key="b" stroke-width="1.8" d="m4.2 11.8 7.6-7.6" />,
  ],
  stale: CLOCK,
  parked: CLOCK,
  unknown: [
    <rect key="a" stroke-width="1.8" x="2" y="2" width="12" height="12" rx="2" />,
    <path key="b" stroke-width="1.7" d="M6.4 6.2A1.7 1.7 0 1 1 8 8.4v.8M8 11.4v.2" />,
  ],
  ok: TICK,
} satisfies Record<string, JSX.Element | JSX.Element[]>;

export type StatusShape = keyof typeof STATUS_SHAPES;

/** Status as shape and colour; `label` adds the word for those who do not see it. */
export function StatusIcon(props: { shape: StatusShape; label?: string }): JSX.Element {
  const { shape, label } = props;
  const name =
    label === undefined
      ? ({ "aria-hidden": true } as const)
      : ({ role: "img", "aria-label": label } as const);
  return (
    <svg class={`status status-${shape}`} viewBox="0 0 16 16" {...name}>
      {STATUS_SHAPES[shape]}
    </svg>
  );
}
