import type { ComponentChildren, JSX } from "preact";
import type { SeenAgent } from "../../../src/protocol/tolerant-agents.ts";
import {
  keptUntil,
  lastSeenAt,
  resumeCommand,
  standingOf,
  type Standing,
} from "../../model/binding.ts";
import { daysBetween } from "../../model/timeline.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { useToday } from "../parts/derived.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { dayName, momentText } from "../../words/binding.ts";
import { CopyLines } from "../parts/copy-lines.tsx";
import { Resume } from "./resume.tsx";

const NOTICES: Readonly<
  Record<Standing, ((props: { readonly agent: SeenAgent }) => JSX.Element) | null>
> = { linked: null, open: Open, over: Over, unknown: Unknown };

/** Where a session stands with panes, as long as its own is not certain; and the way on. */
export function StandingNotice({ agent }: { readonly agent: SeenAgent }): JSX.Element | null {
  const Notice = NOTICES[standingOf(agent)];
  return Notice === null ? null : <Notice agent={agent} />;
}

function Open({ agent }: { readonly agent: SeenAgent }): JSX.Element {
  const { router } = useBrowser();
  return (
    <Frame tone="stale" icon={<Icon name="link" />} title="Which pane is it?">
      <p>
        {whyOpen(agent)} {"Until you choose, you can read here but not answer or write."}
      </p>
      <div class="actions">
        <Button tone="primary" aria-haspopup="dialog" onClick={() => router.show("agent-pane")}>
          Choose the pane
        </Button>
      </div>
    </Frame>
  );
}

function whyOpen({ association, binding_candidates }: SeenAgent): string {
  if (association === "unavailable") return "Its pane was unlinked.";
  const { length } = binding_candidates;
  return length === 1
    ? "One pane could be its own, but nothing proves it."
    : `${length} panes could be its own, and nothing says which.`;
}

function Over({ agent }: { readonly agent: SeenAgent }): JSX.Element {
  const today = useToday();
  const { config } = useServer();
  const days = config.current.value?._info.capabilities.agent_context_v1.retention_days ?? 0;
  const at = lastSeenAt(agent);
  const command = resumeCommand(agent);
  const title = `Offline since ${momentText(at, daysBetween(at, today))}`;
  return (
    <Frame tone="quiet" icon={<StatusIcon shape="offline" />} title={title}>
      <p>
        {days > 0 && `What it said last is kept until ${dayName(keptUntil(agent, days))}.`}{" "}
        {command !== null && "To go on, run this in its folder:"}
      </p>
      {command !== null && <CopyLines text={command} label="Copy the command" />}
      {command !== null && config.has("session_resume_v1") && (
        <Resume key={agent.id} id={agent.id} />
      )}
    </Frame>
  );
}

function Unknown(): JSX.Element {
  return (
    <Frame tone="stale" icon={<Icon name="lock" />} title="No pane is known for it">
      <p>
        No pane that runs now could be its own: it may run elsewhere, or have ended. You can read
        here but not answer or write.
      </p>
    </Frame>
  );
}

function Frame(props: {
  readonly tone: "stale" | "quiet";
  readonly icon: JSX.Element;
  readonly title: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { tone, icon, title, children } = props;
  return (
    <section class={`standing ${tone}`}>
      {icon}
      <div class="grow">
        <h2>{title}</h2>
        {children}
      </div>
    </section>
  );
}
