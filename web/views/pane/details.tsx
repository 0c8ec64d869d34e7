import type { JSX } from "preact";
import type { Pane } from "../../model/pane.ts";
import { useServer } from "../../state/client.ts";
import { AgentFacts } from "../agents/page.tsx";
import { useWorkspace } from "../agents/use.ts";
import { ContextBar } from "../parts/context.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { PaneFacts } from "./inspector.tsx";

/** What is known of a pane and its agent, where no third column says it. */
export function PaneDetails({ pane }: { readonly pane: Pane }): JSX.Element {
  const agentId = useServer().agentIn(pane);
  const agent = useWorkspace()?.known(agentId ?? "") ?? null;
  return (
    <Sheet title="Pane details">
      <ContextBar pane={pane} agent={agent} from={0} />
      {agentId !== null && <AgentFacts id={agentId} />}
      <PaneFacts pane={pane} />
    </Sheet>
  );
}
