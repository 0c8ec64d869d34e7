import type { JSX } from "preact";
import type { LaterIcon } from "./later-icons.ts";

/** Shapes after lucide, drawn on a grid of 20: those of the first load. */
const SHAPES = {
  queue: ["M10 2 16.8 7.6 10 13.2 3.2 7.6Z", "m3.2 12.2 6.8 5.6 6.8-5.6"],
  active: ["M2 10.5h3.2l2.4-6 4.2 11 2.3-5H18"],
  all: [
    "M5.5 3h9a3 3 0 0 1 3 3v8a3 3 0 0 1-3 3h-9a3 3 0 0 1-3-3V6a3 3 0 0 1 3-3Z",
    "M10 3v14M10 10h7.5",
  ],
  stats: ["M4 16.5v-5M10 16.5v-13M16 16.5v-8"],
  cursor: ["M16 4.5v4.2a3 3 0 0 1-3 3H4.2M7.6 8.2l-3.5 3.5 3.5 3.5"],
  pencil: ["m4 16 .8-3.4L13.6 3.8a1.6 1.6 0 0 1 2.3 0l.3.3a1.6 1.6 0 0 1 0 2.3L7.4 15.2Z"],
  check: ["m4 10.5 4 4 8-9"],
  search: ["M14.1 8.8a5.3 5.3 0 1 1-10.6 0 5.3 5.3 0 0 1 10.6 0Z", "m12.8 12.8 4 4"],
  plus: ["M10 4v12M4 10h12"],
  sliders: [
    "M3 6h7M14 6h3M3 14h3M10 14h7",
    "M14 6a2 2 0 1 1-4 0 2 2 0 0 1 4 0ZM10 14a2 2 0 1 1-4 0 2 2 0 0 1 4 0Z",
  ],
  send: ["M10 16V4.4M4.8 9.4 10 4.2l5.2 5.2"],
  copy: [
    "M9.4 7h5.2A2.4 2.4 0 0 1 17 9.4v5.2a2.4 2.4 0 0 1-2.4 2.4H9.4A2.4 2.4 0 0 1 7 14.6V9.4A2.4 2.4 0 0 1 9.4 7Z",
    "M13 4.2A1.8 1.8 0 0 0 11.4 3H5a2 2 0 0 0-2 2v6.4A1.8 1.8 0 0 0 4.2 13",
  ],
  star: ["m10 2.8 2.2 4.6 5 .7-3.6 3.5.9 5-4.5-2.4-4.5 2.4.9-5L2.8 8.1l5-.7Z"],
  broadcast: [
    "M11.4 10a1.4 1.4 0 1 1-2.8 0 1.4 1.4 0 0 1 2.8 0Z",
    "M6.8 6.8a4.6 4.6 0 0 0 0 6.4M13.2 6.8a4.6 4.6 0 0 1 0 6.4M4.2 4.2a8.3 8.3 0 0 0 0 11.6M15.8 4.2a8.3 8.3 0 0 1 0 11.6",
  ],
  eye: [
    "M1.9 10S4.8 4.6 10 4.6 18.1 10 18.1 10 15.2 15.4 10 15.4 1.9 10 1.9 10Z",
    "M12.4 10a2.4 2.4 0 1 1-4.8 0 2.4 2.4 0 0 1 4.8 0Z",
  ],
  clock: ["M17 10a7 7 0 1 1-14 0 7 7 0 0 1 14 0Z", "M10 6v4.2l2.6 1.6"],
  keyboard: [
    "M4.2 5h11.6a2.4 2.4 0 0 1 2.4 2.4v5.2a2.4 2.4 0 0 1-2.4 2.4H4.2a2.4 2.4 0 0 1-2.4-2.4V7.4A2.4 2.4 0 0 1 4.2 5Z",
    "M5 8.4h.01M8.3 8.4h.01M11.7 8.4h.01M15 8.4h.01M6.5 11.8h7",
  ],
  offline: [
    "m3 3 14 14M6 9.2A7 7 0 0 1 8.6 7.7M2.6 6.7a11 11 0 0 1 3-1.8M9 4.2a11 11 0 0 1 8.4 2.5M11.9 7.9A7 7 0 0 1 14 9.2M7.6 12.2a4 4 0 0 1 4.3-.5M10 15.4h.01",
  ],
  key: ["M10.2 13.4a3.6 3.6 0 1 1-7.2 0 3.6 3.6 0 0 1 7.2 0Z", "m9.2 10.8 7-7M13.2 6.8l2.4 2.4"],
  refresh: [
    "M16.4 8.2A6.8 6.8 0 0 0 4 7M3.6 11.8A6.8 6.8 0 0 0 16 13M16.8 4v4.2h-4.2M3.2 16v-4.2h4.2",
  ],
  info: ["M17.2 10a7.2 7.2 0 1 1-14.4 0 7.2 7.2 0 0 1 14.4 0Z", "M10 9.2v4.4M10 6.5v.1"],
  warning: ["M10 3 17.8 16.6H2.2Z", "M10 8v4M10 14.2v.1"],
  shield: ["M10 2.6 16 5v4.6c0 3.7-2.5 6.4-6 7.8-3.5-1.4-6-4.1-6-7.8V5Z", "M10 7v3.4M10 13v.1"],
  lock: [
    "M6.2 8.8h7.6A2.2 2.2 0 0 1 16 11v3.8a2.2 2.2 0 0 1-2.2 2.2H6.2A2.2 2.2 0 0 1 4 14.8V11a2.2 2.2 0 0 1 2.2-2.2Z",
    "M6.8 8.8V6.4a3.2 3.2 0 0 1 6.4 0v2.4",
  ],
  blocked: ["M6.9 2.6h6.2l4.3 4.3v6.2l-4.3 4.3H6.9l-4.3-4.3V6.9Z", "M6.6 10h6.8"],
  terminal: [
    "M5 3.4h10a2.6 2.6 0 0 1 2.6 2.6v8a2.6 2.6 0 0 1-2.6 2.6H5A2.6 2.6 0 0 1 2.4 14V6A2.6 2.6 0 0 1 5 3.4Z",
    "m5.8 8 2.6 2.2-2.6 2.2M10.6 13h3.4",
  ],
  link: [
    "M8.4 11.6a3.2 3.2 0 0 0 4.6 0l2.8-2.8a3.25 3.25 0 0 0-4.6-4.6L10 5.4M11.6 8.4a3.2 3.2 0 0 0-4.6 0l-2.8 2.8a3.25 3.25 0 0 0 4.6 4.6L10 14.6",
  ],
  back: ["M12.2 4 6.4 10l5.8 6"],
  close: ["m5 5 10 10M15 5 5 15"],
  down: ["M4.5 7.5 10 13l5.5-5.5"],
  next: ["M7.8 4l5.8 6-5.8 6"],
} satisfies Record<string, readonly string[]>;

export type IconName = keyof typeof SHAPES | LaterIcon;

const shapes: Partial<Record<IconName, readonly string[]>> = { ...SHAPES };
/** The shapes of views that come later, which bring them along. */
export const addShapes = (later: Readonly<Record<LaterIcon, readonly string[]>>): void =>
  void Object.assign(shapes, later);

/** A decorative icon; the control around it carries the name. */
export const Icon = (props: { name: IconName; class?: string }): JSX.Element => (
  <Drawn shape={shapes[props.name] ?? []} class={`icon-${props.name} ${props.class ?? ""}`} />
);

/** The same of a shape that only one view has: it is loaded with that view. */
export const Drawn = (props: { shape: readonly string[]; class?: string }): JSX.Element => (
  <svg class={`icon ${props.class ?? ""}`} viewBox="0 0 20 20" aria-hidden="true">
    {props.shape.map((path) => (
      <path key={path} d={path} />
    ))}
  </svg>
);

const CLOCK = [
  <circle key="a" class="dashed" cx="8" cy="8" r="6" />,
  <path key="b" class="hand" d="M8 4.8V8l2.2 1.4" />,
];

const STATUS_SHAPES = {
  needs_input: <path class="solid" d="M8 1.5 14.5 8 8 14.5 1.5 8Z" />,
  error: [
    <path key="a" class="solid" d="M8 2 15 14H1Z" />,
    <path key="b" class="cut" d="M8 6.2v3.6M8 12v.2" />,
  ],
  working: [
    <circle key="a" class="track" cx="8" cy="8" r="5.8" />,
    <path key="b" class="arc" d="M8 2.2A5.8 5.8 0 1 1 2.2 8" />,
  ],
  finished: <path class="tick" d="m2.5 8.5 3.6 3.6 7.4-8" />,
  idle: <circle class="dot" cx="8" cy="8" r="3.4" />,
  offline: [
    <circle key="a" class="thin" cx="8" cy="8" r="5.8" />,
    <path key="b" class="thin" d="m4.2 11.8 7.6-7.6" />,
  ],
  stale: CLOCK,
  parked: CLOCK,
  unknown: [
    <path
      key="a"
      class="thin"
      d="M4 2h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2Z"
    />,
    <path key="b" class="hand" d="M6.4 6.2A1.7 1.7 0 1 1 8 8.4v.8M8 11.4v.2" />,
  ],
  ok: <path class="tick" d="m2.5 8.5 3.6 3.6 7.4-8" />,
} satisfies Record<string, JSX.Element | JSX.Element[]>;

export type StatusShape = keyof typeof STATUS_SHAPES;

/** Status as shape and colour; `label` adds the word for those who do not see it. */
export function StatusIcon(props: {
  shape: StatusShape;
  label?: string;
  class?: string;
}): JSX.Element {
  const { shape, label, class: extra } = props;
  const name =
    label === undefined
      ? ({ "aria-hidden": true } as const)
      : ({ role: "img", "aria-label": label } as const);
  return (
    <svg class={`status status-${shape} ${extra ?? ""}`} viewBox="0 0 16 16" {...name}>
      {STATUS_SHAPES[shape]}
    </svg>
  );
}
