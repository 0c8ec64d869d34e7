import type { JSX } from "preact";
import type { StepKind } from "../../model/timeline.ts";
import { Icon, type IconName, StatusIcon, type StatusShape } from "../../ui/icons.tsx";

type Mark = { readonly status: StatusShape } | { readonly icon: IconName };

const MARKS: Readonly<Record<StepKind, Mark>> = {
  waits: { status: "needs_input" },
  asked: { icon: "decided" },
  decided: { icon: "decided" },
  done: { status: "ok" },
  blocked: { icon: "blocked" },
  unblocked: { status: "ok" },
  goal: { icon: "goal" },
  task: { icon: "goal" },
  next: { icon: "next" },
  finished: { status: "finished" },
  failed: { status: "error" },
  activity: { status: "idle" },
};

/** The shape of a step; its words say the same. Amber is only what still waits. */
export function StepMark({ kind }: { readonly kind: StepKind }): JSX.Element {
  const mark = MARKS[kind];
  return (
    <span class="step-mark">
      {"status" in mark ? <StatusIcon shape={mark.status} /> : <Icon name={mark.icon} />}
    </span>
  );
}
