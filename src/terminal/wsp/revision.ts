import type { WirePane } from "./parse.ts";

/** What is remembered of one terminal between two looks at it. */
export interface Steps {
  revision: number;
  title: string;
  tokens: string;
  /** Its title was seen to change. */
  isBlinking: boolean;
  /** Steps of the tool's revision that neither a title nor a token explains. */
  unexplained: number;
  /** How often another program was seen to take the pane over. */
  incarnation: number;
  /** The foreground process group of its agent; null where it is not known. */
  group: number | null;
  agent: string;
}

export interface Look {
  wire: Pick<WirePane, "revision" | "terminal_title_stripped" | "tokens" | "agent">;
  /** Undefined: not asked for this time. */
  group: number | null | undefined;
}

/**
 * What an answer is bound to beside the route. The tool's own revision rises with every title, and
 * an agent that waits may change its title each second: those steps do not count. Another agent, or
 * another process of it, counts as a new incarnation.
 */
export function step(before: Steps | null, { wire, group }: Look): Steps {
  const title = wire.terminal_title_stripped ?? "";
  const tokens = JSON.stringify(wire.tokens ?? null);
  const agent = wire.agent ?? "";
  const { revision } = wire;
  if (!before)
    return {
      ...{ revision, title, tokens, agent },
      isBlinking: false,
      unexplained: 0,
      incarnation: 0,
      group: group ?? null,
    };
  const isRenamed = before.title !== title;
  const isExplained = isRenamed || before.tokens !== tokens;
  const steps = revision - before.revision;
  // Away and back again between two looks: an even number of steps, and the same title as before.
  const hasBlinked = before.isBlinking && steps > 0 && steps % 2 === 0;
  const isCounted = steps !== 0 && !isExplained && !hasBlinked;
  const isOther = before.agent !== agent || isOtherGroup(before.group, group);
  return {
    ...{ revision, title, tokens, agent },
    isBlinking: before.isBlinking || isRenamed,
    unexplained: before.unexplained + (isCounted ? Math.abs(steps) : 0),
    incarnation: before.incarnation + (isOther ? 1 : 0),
    group: group === undefined || group === null ? before.group : group,
  };
}

function isOtherGroup(before: number | null, now: number | null | undefined): boolean {
  return before !== null && now !== null && now !== undefined && before !== now;
}
