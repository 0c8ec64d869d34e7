import { useEffect, useState } from "preact/hooks";
import type { MessageFind, MessageSearch } from "../../../src/protocol/agent-replies.ts";
import { LaterApi } from "../../net/later-api.ts";
import { useServer } from "../../state/client.ts";

const MIN_CHARS = 2;
const LOOK_AFTER_MS = 250;

/** A place where these words were said, in a session that runs or has ended. */
export interface Said {
  readonly q: string;
  readonly find: MessageFind;
  /** Of the agent, as a person knows it. */
  readonly name: string;
}

/** What was said with these words, the newest first; looked up once the typing rests. */
export function useSaid(typed: string | null): readonly Said[] {
  const { api, config, panes } = useServer();
  const [found, setFound] = useState<{ readonly q: string; readonly reply: MessageSearch } | null>(
    null,
  );
  const q = typed?.trim() ?? "";
  const isAsked = [...q].length >= MIN_CHARS && config.has("search_v1");
  useEffect(() => {
    if (!isAsked) return;
    const aborter = new AbortController();
    const timer = setTimeout(async () => {
      const result = await new LaterApi(api).said(q, aborter.signal);
      if (result.ok && !aborter.signal.aborted) setFound({ q, reply: result.value });
    }, LOOK_AFTER_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [q, isAsked]);
  if (!isAsked || found?.q !== q) return [];
  const { finds, agents } = found.reply;
  return finds.flatMap((find) => {
    const agent = agents.find(({ id }) => id === find.agent_id);
    if (agent === undefined) return [];
    const pane = agent.pane_id === null ? null : panes.find(agent.pane_id);
    return [{ q, find, name: pane?.name ?? agent.title }];
  });
}
