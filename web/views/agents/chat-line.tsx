import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SeenAct, SeenDecision, SeenStep } from "../../../src/protocol/tolerant-later.ts";
import { groupSteps, type Line, type StepRow } from "../../model/chat/stream.ts";
import type { Happening, HappeningKind } from "../../model/timeline.ts";
import { paneHash } from "../../state/browser/router.ts";
import { Icon, StatusIcon, type IconName, type StatusShape } from "../../ui/button.tsx";
import { count, timeOfDay } from "../../words/common.ts";
import { withBoundary } from "../parts/boundary.tsx";
import { Counts } from "../parts/excerpt.tsx";
import { InnerLink } from "../parts/links.tsx";
import { TerminalText } from "../parts/text.tsx";
import { actSentence, isWrong, outcomeText } from "../record/line.tsx";
import { Message } from "./message.tsx";
import { useWorkspace } from "./use.ts";

export const ChatLine = withBoundary(
  "li",
  function ChatLine(props: {
    readonly line: Line;
    readonly program: string;
    readonly paneId: string | null;
    readonly isFound: boolean;
    /** Keys of unfolded steps, kept outside of the lines, which may be drawn anew in another block. */
    readonly unfolded: Set<string>;
  }): JSX.Element {
    const { line, program, paneId, isFound, unfolded } = props;
    switch (line.kind) {
      case "message":
        return <Message message={line.message} program={program} isFound={isFound} />;
      case "steps":
        return <Steps id={line.key} steps={line.steps} paneId={paneId} unfolded={unfolded} />;
      case "event":
        return <TimelineEvent event={line.what} />;
      case "act":
        return <ActLine act={line.act} />;
      case "reviewed":
        return (
          <li class="chat-rule flex gap-10 fs-12 text-2">
            Reviewed up to here, {timeOfDay(line.at)}
          </li>
        );
    }
  },
);

/** Steps that unfold at once. */
const SHOWN = 4;

/** "14 steps +96 −3"; a tap lists them. */
function Steps(props: {
  readonly id: string;
  readonly unfolded: Set<string>;
  readonly steps: readonly SeenStep[];
  readonly paneId: string | null;
}): JSX.Element {
  const { id, steps, paneId, unfolded } = props;
  const [isOpen, setOpen] = useState(unfolded.has(id));
  const toggle = () => {
    if (isOpen) unfolded.delete(id);
    else unfolded.add(id);
    setOpen(!isOpen);
  };
  const [isWhole, setWhole] = useState(false);
  const sum = (of: "added" | "removed") => steps.reduce((all, step) => all + (step[of] ?? 0), 0);
  const listed = isOpen ? groupSteps(steps) : [];
  const isCut = !isWhole && listed.length > SHOWN + 1;
  const shown = isCut ? listed.slice(0, SHOWN) : listed;
  return (
    <li class="steps">
      <button
        type="button"
        class="steps-fold inline gap-10 tap fs-13 text-2"
        aria-expanded={isOpen}
        onClick={toggle}
      >
        <Icon name={isOpen ? "down" : "next"} class="small" />
        {count(steps.length, "step", "steps")}
        <Counts added={sum("added")} removed={sum("removed")} />
      </button>
      {isOpen && (
        <ol class="grid fs-13 text-2">
          {shown.map((one) => (
            <StepLine key={one[0].id} {...{ one, paneId }} />
          ))}
          {isCut && (
            <li>
              <button
                type="button"
                class="steps-more tap bold text-accent"
                onClick={() => setWhole(true)}
              >
                {listed.length - SHOWN} more
              </button>
            </li>
          )}
        </ol>
      )}
    </li>
  );
}

const STEPS: Readonly<Record<SeenStep["kind"], readonly [IconName, string]>> = {
  read: ["eye", "Read "],
  edit: ["pencil", "Edit "],
  search: ["search", "Search "],
  run: ["terminal", ""],
  web: ["link", "Look up "],
  task: ["robot", "Agent: "],
  other: ["dots", ""],
  unknown: ["dots", ""],
};
const ENDS: Readonly<Partial<Record<SeenStep["state"], string>>> = {
  failed: "failed",
  denied: "not allowed",
};

function StepLine(props: { readonly one: StepRow; readonly paneId: string | null }): JSX.Element {
  const { one, paneId } = props;
  const [step, ...others] = one;
  const end = ENDS[step.state];
  const [icon, verb] = STEPS[step.kind];
  const isLink = paneId !== null && step.kind === "edit" && !step.title.startsWith("/");
  const text = (
    <>
      {verb}
      <TerminalText as="code" text={step.title} dir="ltr" />
      {others.length > 0 && ` and ${others.length} more`}
    </>
  );
  return (
    <li class={`flex gap-10 ${step.state === "failed" ? "text-error" : ""}`}>
      <Icon name={icon} class="small" />
      {isLink ? (
        <InnerLink class="steps-what grow anywhere" hash={paneHash(paneId, "changes", step.title)}>
          {text}
        </InnerLink>
      ) : (
        <span class="steps-what grow anywhere">{text}</span>
      )}
      <Counts {...step} />
      {end !== undefined && <span class="rigid fs-12">{end}</span>}
    </li>
  );
}

type Mark = { readonly status: StatusShape } | { readonly icon: IconName };

/** Only what still waits is amber. */
const HAPPENINGS: Readonly<Record<HappeningKind, readonly [Mark, string]>> = {
  waits: [{ status: "needs_input" }, "Waiting"],
  asked: [{ icon: "decided" }, "Asked"],
  decided: [{ icon: "decided" }, "Decided"],
  done: [{ status: "ok" }, "Done"],
  blocked: [{ icon: "blocked" }, "Blocked"],
  unblocked: [{ status: "ok" }, "No longer blocked"],
  goal: [{ icon: "goal" }, "New goal"],
  finished: [{ status: "finished" }, "Finished"],
  failed: [{ status: "error" }, "Stopped with an error"],
};

function TimelineEvent({ event }: { readonly event: Happening }): JSX.Element {
  const workspace = useWorkspace();
  const { kind, items, at } = event;
  const titles = items.map(({ id, title }) => {
    const chosen = kind === "decided" ? outcome(workspace?.decision(id) ?? null) : null;
    return chosen === null ? title : `${chosen} (${title})`;
  });
  const isMany = kind === "done" && items.length > 1;
  const text = isMany ? "" : titles.join(" · ");
  const [mark, word] = HAPPENINGS[kind];
  return (
    <QuietLine mark={mark} at={at}>
      {isMany ? `${items.length} items done` : word}
      {text !== "" && ": "}
      {text !== "" && <TerminalText text={text} />}
    </QuietLine>
  );
}

/** Null where nobody knows. */
function outcome(decision: SeenDecision | null): string | null {
  const chosen = decision?.options.find(({ id }) => id === decision.selected_option_id);
  if (chosen !== undefined) return chosen.label;
  return decision?.status === "superseded" ? "It went on without an answer" : null;
}

/** "Yes to `npm test`, Pixel 9, confirmed". */
function ActLine({ act }: { readonly act: SeenAct }): JSX.Element {
  const [text, code = ""] = actSentence(act, 1);
  const shape = isWrong(act) ? "error" : act.state === "sending" ? "working" : "ok";
  return (
    <QuietLine mark={{ status: shape }} at={act.at}>
      <TerminalText text={text} />
      {code !== "" && <TerminalText as="code" text={code} dir="ltr" />}
      <TerminalText text={`, ${act.by.name}, ${outcomeText(act)}`} />
    </QuietLine>
  );
}

function QuietLine(props: {
  readonly mark: Mark;
  readonly at: number;
  readonly children: JSX.Element | string | readonly (JSX.Element | string | false)[];
}): JSX.Element {
  const { mark, at, children } = props;
  return (
    <li class="quiet-line flex baseline gap-10 fs-13 prose text-2">
      {"status" in mark ? (
        <StatusIcon shape={mark.status} />
      ) : (
        <Icon name={mark.icon} class="small" />
      )}
      <span class="grow anywhere">{children}</span>
      <time class="rigid fs-12 numbers text-3">{timeOfDay(at)}</time>
    </li>
  );
}
