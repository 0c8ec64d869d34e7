// CheckLine: one thing that has to be so, with its state and below it what can be done about it.
// Tell: the same line without a list around it, for what was tried.
import type { ComponentChildren, JSX } from "preact";
import { StatusIcon } from "./icons.tsx";

const STATES = {
  done: { shape: "ok", spoken: "Done:" },
  failed: { shape: "error", spoken: "Failed:" },
  open: { shape: "idle", spoken: "Still to do:" },
  working: { shape: "working", spoken: "" },
} as const;

interface Line {
  readonly state: keyof typeof STATES;
  readonly children: ComponentChildren;
}

export function CheckLine({ state, children }: Line): JSX.Element {
  const { shape, spoken } = STATES[state];
  return (
    <li class={`check-line gap-8 fs-13 prose text-2 ${state}`}>
      <StatusIcon shape={shape} label={spoken} />
      <div>{children}</div>
    </li>
  );
}

export function Tell({ state, children }: Line): JSX.Element {
  return (
    <span class={`check-line gap-8 fs-13 prose text-2 ${state}`}>
      <StatusIcon shape={STATES[state].shape} />
      {children}
    </span>
  );
}
