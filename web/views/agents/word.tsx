import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { SeenAgent } from "../../../src/protocol/tolerant-agents.ts";
import type { AgentState } from "../../state/server/agents/agent.ts";
import type { Unheard } from "../../state/server/agents/session-actions.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { Notice } from "../../ui/notice.tsx";

/** What a sheet about a session is drawn from. */
export interface SessionProps {
  readonly workspace: Workspace;
  readonly state: AgentState;
  readonly agent: SeenAgent;
}

/** A word that is said of a session from a sheet, and why it does not hold. */
export function useWord() {
  const [isSending, setSending] = useState(false);
  const [unheard, setUnheard] = useState<Unheard | null>(null);
  return {
    isSending,
    unheard,
    forget: () => setUnheard(null),
    /** True once it holds. */
    say: async (word: Promise<Unheard | null>): Promise<boolean> => {
      setSending(true);
      setUnheard(null);
      const why = await word;
      setSending(false);
      setUnheard(why);
      return why === null;
    },
  };
}

/** What was attempted: that a pane was chosen or unlinked, that a history was deleted. */
type Attempted = "chosen" | "unlinked" | "deleted";

const REASONS: Readonly<Record<string, string>> = {
  "stale binding revision": "What was known of its pane is not what is known now.",
  "another runtime's program runs in this pane": "Another program runs in that pane now.",
  "the pane works in another folder": "That pane works in another folder now.",
};

/** In words of ours where we have them. */
export function unheardWords(
  word: Attempted,
  { why, reason }: Unheard,
): { readonly title: string; readonly text: string } {
  if (why === "lost")
    return {
      title: `Nobody knows whether it was ${word}`,
      text: "The server did not answer. What is shown was read again where that was possible.",
    };
  const gone = word === "chosen" ? ": that pane is gone" : ": this agent is gone";
  const end = { changed: ": something changed", gone, failed: "", busy: "" }[why];
  const text = reason === "" ? "" : (REASONS[reason] ?? `The server says: ${reason}.`);
  return { title: `Not ${word}${end}`, text };
}

/** What was attempted and why it does not hold; below it what to do now. */
export function UnheardNotice(props: {
  readonly word: Attempted;
  readonly unheard: Unheard | null;
  readonly children?: ComponentChildren;
}): JSX.Element | null {
  const { word, unheard, children } = props;
  if (unheard === null) return null;
  const { title, text } = unheardWords(word, unheard);
  const isDoubt = unheard.why === "lost";
  return (
    <Notice
      icon={isDoubt ? "info" : "warning"}
      tone={isDoubt ? "stale" : "error"}
      title={title}
      isAlert
    >
      {text}
      {children}
    </Notice>
  );
}
