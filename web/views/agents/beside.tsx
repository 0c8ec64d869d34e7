import type { ComponentChildren, JSX } from "preact";
import { waits, type Pane } from "../../model/pane.ts";
import type { SeenAgent } from "../../../src/protocol/tolerant-agents.ts";
import { AGENT_PARTS, type AgentPart } from "../../state/browser/router.ts";
import type { AgentState } from "../../state/server/agents/agent.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useBrowser } from "../../state/client.ts";
import { Segments } from "../../ui/segments.tsx";
import { agents as words } from "../../words/agents.ts";
import { useBoard, useWatch, useWorkspace } from "./use.ts";
import { AgentChat } from "./chat.tsx";
import { AgentNow } from "./now.tsx";
import { AgentQuestion } from "./question.tsx";
import { AgentTimeline } from "./timeline.tsx";

interface AgentProps {
  readonly workspace: Workspace;
  readonly state: AgentState;
  readonly agent: SeenAgent;
}

/** The third column beside a session: what it asks, what has changed, what is known of its work. */
export function AgentInspector({ id }: { readonly id: string }): JSX.Element {
  const workspace = useWorkspace();
  const state = workspace?.agent(id) ?? null;
  const agent = state?.agent.value ?? null;
  return (
    <aside class="column inspector scroll" tabIndex={0} aria-label={words.parts.now}>
      {workspace !== null && state !== null && agent !== null && (
        <>
          <AgentQuestion {...{ workspace, agent }} isDocked={false} />
          <AgentNow key={id} {...{ workspace, state, agent }} />
        </>
      )}
    </aside>
  );
}

/** The session of a pane below its prompt; the terminal beside it is where messages are written. */
export function AgentOfPane(props: {
  readonly pane: Pane;
  /** What is known of the pane itself. */
  readonly children: ComponentChildren;
}): JSX.Element {
  const { pane, children } = props;
  const workspace = useWorkspace();
  // Only the list of sessions knows which of them is in which pane.
  useWatch(workspace?.agents ?? null);
  const agent = workspace === null ? null : workspace.inPane(pane.id);
  if (workspace === null || agent === null) return <>{children}</>;
  const state = workspace.agent(agent.id);
  return (
    <Tabs key={agent.id} {...{ workspace, state, agent, pane }}>
      {children}
    </Tabs>
  );
}

function Tabs(
  props: AgentProps & { readonly pane: Pane; readonly children: ComponentChildren },
): JSX.Element {
  const { workspace, state, pane, children } = props;
  const { layout } = useBrowser();
  useWatch(state.query);
  useBoard(workspace);
  const part = layout.agentPart.value;
  const agent = state.agent.value ?? props.agent;
  return (
    <div class={`pane-agent ${part === "chat" ? "chat-part" : ""}`}>
      <Segments
        label={words.agent}
        chosen={part}
        options={AGENT_PARTS.map((value) => ({ value, label: words.parts[value] }))}
        onChoose={(chosen) => {
          layout.agentPart.value = chosen;
        }}
      />
      <div
        class={part === "chat" ? "scroll agent-body" : ""}
        tabIndex={part === "chat" ? 0 : undefined}
        role="region"
        aria-label={words.parts[part]}
      >
        <Part {...{ workspace, state, agent }} part={part} isAsking={waits(pane)} />
      </div>
      {part === "now" && children}
    </div>
  );
}

function Part(
  props: AgentProps & {
    readonly part: AgentPart;
    /** Its prompt stands above. */
    readonly isAsking: boolean;
  },
): JSX.Element {
  const { part, isAsking, ...rest } = props;
  switch (part) {
    case "now":
      return (
        <>
          {!isAsking && <AgentQuestion {...rest} isDocked={false} />}
          <AgentNow {...rest} isBesidePane />
        </>
      );
    case "chat":
      return <AgentChat {...rest} />;
    case "timeline":
      return <AgentTimeline {...rest} filter={null} />;
  }
}
