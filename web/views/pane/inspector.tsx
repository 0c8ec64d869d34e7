import type { JSX } from "preact";
import { sinceOf } from "../../../src/protocol/waiting.ts";
import { appearanceOf, type Pane } from "../../model/pane.ts";
import { useServer } from "../../state/client.ts";
import { Section } from "../../ui/section.tsx";
import { common, timeOfDay } from "../../words/common.ts";
import { HostFacts } from "../hosts/hosts.tsx";
import { more } from "../more.tsx";
import { Parked } from "../parked/parked.tsx";
import { usePane } from "../parts/derived.ts";
import { FactList } from "../parts/facts.tsx";
import { PaneCard } from "./docked.tsx";
import { usePage } from "./head.tsx";

/** The third column: what the pane asks, and what is known of its agent, its files or itself. */
export function Inspector({ id }: { readonly id: string }): JSX.Element {
  const pane = usePane(id).value;
  const { tab, at, agentId } = usePage(id, pane);
  return (
    <aside class="column inspector scroll" aria-label="Inspector">
      {pane !== null && <PaneCard key={id} size="beside" {...{ pane, tab }} />}
      {pane?.host && <HostFacts name={pane.host} />}
      {pane !== null && <Parked pane={pane} class="card" />}
      {tab === "changes" && <more.ChangesSide id={id} path={at} />}
      {tab !== "changes" && agentId !== null && <more.AgentFacts key={agentId} id={agentId} />}
      {tab !== "changes" && pane !== null && <PaneFacts pane={pane} />}
    </aside>
  );
}

/** By the multiplexer's own word. */
const NATIVE = {
  idle: "Idle",
  working: "Working",
  blocked: "Waiting",
  done: "Done",
  unknown: "Not known",
} as const;

/** What is known of the pane itself. */
export function PaneFacts({ pane }: { readonly pane: Pane }): JSX.Element {
  const { config } = useServer();
  const status = common.status[appearanceOf(pane)];
  const native = pane.native_agent;
  const isUnready = native?.interactive_ready === false;
  const facts = {
    Status: `${status}, since ${timeOfDay(sinceOf(pane))}`,
    Pane: pane.target,
    Command: pane.command,
    Folder: pane.cwd,
    [config.labels.value[pane.provider] ?? pane.provider]: native?.present
      ? `${NATIVE[native.status]}${isUnready ? ", not ready for input" : ""}`
      : "",
    // One word is what a terminal begins with: the name of its machine, of its program, its folder.
    Title: /\s/.test(pane.title) ? pane.title : "",
  };
  return (
    <Section kind="panel" title="Pane details">
      <FactList facts={Object.entries(facts)} />
    </Section>
  );
}
