import { AppError } from "../errors.ts";
import type { SearchQuery } from "../protocol/agent-queries.ts";
import type { MessageFind, MessageSearch } from "../protocol/agent-replies.ts";
import type { AgentSession, ChatMessage } from "../protocol/agents.ts";
import { requireFilters } from "./queries.ts";
import { findFolded, foldCase } from "./store/folded.ts";
import type { AgentStore } from "./store/store.ts";

/** One letter is in nearly every message. */
const MIN_CHARS = 2;

/**
 * What was said in all sessions that are kept, newest first.
 * @throws AppError 400 for words that are too short, a role, times or a cursor that cannot be
 */
export function searchMessages(store: AgentStore, query: SearchQuery): MessageSearch {
  const { q, cursor, limit } = query;
  if ([...foldCase(q.trim())].length < MIN_CHARS)
    throw new AppError("invalid", `a search needs ${MIN_CHARS} characters`);
  const filters = requireFilters(query);
  const { messages, next_cursor } = store.messages.search({ q, cursor, limit, ...filters });
  const ids = [...new Set(messages.map(({ agent_id }) => agent_id))];
  // A session whose log is still being read to its end is told of once it is whole.
  const agents = ids.map((id) => store.sessions.get(id)).filter((agent) => agent !== null);
  const shown = new Set(agents.map(({ id }) => id));
  return {
    finds: messages.filter((each) => shown.has(each.agent_id)).map((each) => findOf(each, q)),
    agents: agents.map(agentOf),
    next_cursor,
    retained_from: store.messages.oldest(),
  };
}

function findOf({ id, agent_id, role, created_at, content }: ChatMessage, q: string): MessageFind {
  return { id, agent_id, role, created_at, ...excerptOf(content, q) };
}

function agentOf(session: AgentSession): MessageSearch["agents"][number] {
  const { id, runtime, title, lifecycle, pane_id, target } = session;
  return { id, runtime, title, lifecycle, pane_id, target };
}

const BEFORE_CHARS = 80;
const AFTER_CHARS = 160;
/** A word that was cut in two is left out, unless it is longer than a word. */
const MAX_WORD_CHARS = 24;

/** The first place of the words in a text, with some of what stands around it, in one line. */
interface Excerpt {
  before: string;
  match: string;
  after: string;
}

/** @param words what the text holds, whatever their case and accents */
export function excerptOf(text: string, words: string): Excerpt {
  const { start, end } = findFolded(text, words) ?? { start: 0, end: 0 };
  return {
    before: beforeOf(text, start),
    match: inLine(text.slice(start, end)),
    after: afterOf(text, end),
  };
}

function beforeOf(text: string, end: number): string {
  const start = end - BEFORE_CHARS;
  if (start <= 0) return inLine(text.slice(0, end)).trimStart();
  const cut = new RegExp(`^\\S{0,${MAX_WORD_CHARS}}\\s+`);
  return `… ${inLine(text.slice(start, end).replace(cut, ""))}`;
}

function afterOf(text: string, start: number): string {
  const end = start + AFTER_CHARS;
  if (end >= text.length) return inLine(text.slice(start)).trimEnd();
  const cut = new RegExp(`\\s+\\S{0,${MAX_WORD_CHARS}}$`);
  return `${inLine(text.slice(start, end).replace(cut, ""))} …`;
}

/** A cut through a character of two units leaves half of one. */
function inLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/^\ufffd|\ufffd$/g, "")
    .replace(/\s+/g, " ");
}
