import { AppError } from "../errors.ts";
import type {
  DecisionList,
  DecisionsQuery,
  MessageList,
  MessageSearch,
  MessagesQuery,
  SearchQuery,
} from "../protocol/agent-replies.ts";
import {
  type AgentSession,
  type DecisionItem,
  DecisionStatus,
  MessageRole,
} from "../protocol/agents.ts";
import type { Mark, MarkKind } from "./session.ts";
import { foldCase, searchPattern } from "./store/search-text.ts";
import type { AgentStore } from "./store/store.ts";

/** @throws AppError 404 */
export function requireSession(store: AgentStore, id: string): AgentSession {
  const session = store.sessions.get(id);
  if (!session) throw unknownResource(id);
  return session;
}

/** @throws AppError 404; 400 for a role, times or a cursor that cannot be */
export function listMessages(store: AgentStore, id: string, query: MessagesQuery): MessageList {
  const session = requireSession(store, id);
  const filters = { q: query.q, ...requireFilters(query) };
  const { from, to } = store.messages.retained(id);
  const reviewed = store.marks.get(id, "review");
  return {
    ...pageOf(store, id, { ...query, ...filters }),
    retained_from: from,
    retained_to: to,
    reviewed_at: reviewed?.marked_at ?? null,
    reviewed_snapshot_id: reviewed?.snapshot_id ?? null,
    reviewed_snapshot_sequence: reviewed?.snapshot_sequence ?? null,
    reviewed_snapshot_at: reviewed?.snapshot_at ?? null,
    history_truncated: session.context.message_history_truncated,
    filters,
  };
}

type FilteredQuery = MessagesQuery & { role: MessageRole | null };

function pageOf({ messages }: AgentStore, id: string, query: FilteredQuery) {
  const { around, newer, limit, ...rest } = query;
  if (around !== null) {
    requireAlone("around", { newer, ...rest });
    const page = messages.around(id, around, limit);
    if (page === null) throw unknownResource(around);
    return page;
  }
  if (newer === null) return messages.page(id, { limit, ...rest });
  requireAlone("newer", rest);
  return messages.newer(id, newer, limit);
}

function requireAlone(name: string, others: object): void {
  const isAlone = Object.values(others).every((other) => other === null);
  if (!isAlone) throw new AppError("invalid", `${name} goes with a limit alone`);
}

/** @throws AppError 400 for a role or times that cannot be */
function requireFilters({ role, after, before }: Pick<MessagesQuery, "after" | "before" | "role">) {
  const parsed = role === null ? null : MessageRole.safeParse(role);
  if (parsed && !parsed.success) throw new AppError("invalid", "role must be user or assistant");
  for (const [name, time] of Object.entries({ after, before }))
    if (time !== null && !Number.isFinite(time))
      throw new AppError("invalid", `${name} must be a finite time`);
  if (after !== null && before !== null && after > before)
    throw new AppError("invalid", "after must not be later than before");
  return { role: parsed?.data ?? null, after, before };
}

/** @throws AppError 400 for a status or a cursor that cannot be */
export function listDecisions(store: AgentStore, query: DecisionsQuery): DecisionList {
  const { cursor, limit, status, agent_id } = query;
  // Unverified decisions are not published, so that nobody may ask for them.
  const known = DecisionStatus.exclude(["unverified"]).safeParse(status);
  if (status !== null && !known.success) throw new AppError("invalid", "unknown decision status");
  return store.decisions.page({ cursor, limit, status, agentId: agent_id });
}

/**
 * Moves a mark forward; an older snapshot, or the same again, moves nothing.
 * @throws AppError 404; 409 with the resume for a snapshot of another agent
 */
export function moveMark(
  store: AgentStore,
  kind: MarkKind,
  id: string,
  snapshotId: string,
): { mark: Mark; hasMoved: boolean } {
  requireSession(store, id);
  const snapshot = store.snapshots.get(snapshotId);
  const before = store.marks.get(id, kind);
  // The marked snapshot itself may have been pruned since.
  if (!snapshot && before?.snapshot_id === snapshotId) return { mark: before, hasMoved: false };
  if (!snapshot) throw unknownResource(snapshotId);
  if (snapshot.agent_id !== id)
    throw new AppError("conflict", "the snapshot belongs to another agent", {
      message: "This snapshot belongs to another agent.",
      current: store.resume(id),
    });
  const hasMoved = store.mark(kind, snapshot);
  const after = store.marks.get(id, kind);
  if (!after) throw new Error(`the mark of ${id} is gone right after it was stored`);
  return { mark: after, hasMoved };
}

/** 404 in the words of the contract. */
export function unknownResource(id: string): AppError {
  return new AppError("not_found", `unknown agent resource: ${id.slice(0, 160)}`);
}

/** 409 with the present resource. `logged` replaces a message that may quote a person. */
export function agentConflict(
  message: string,
  current: AgentSession | DecisionItem | null,
  { logged = message, ...options }: ErrorOptions & { logged?: string } = {},
): AppError {
  return new AppError("conflict", logged, { message, current }, options);
}

/** @throws AppError 409 where the binding has changed since the client saw it */
export function requireBinding(session: AgentSession, revision: number): void {
  if (session.binding_revision !== revision) throw agentConflict("stale binding revision", session);
}

/** A single letter is in nearly every message. */
const MIN_CHARS = 2;

/**
 * Finds messages of all sessions, or of one, newest first.
 * @throws AppError 400 for a search that is too short, an impossible role, time or cursor
 */
export function searchMessages(store: AgentStore, query: SearchQuery): MessageSearch {
  const { q, agent_id: agentId } = query;
  if ([...foldCase(q.trim())].length < MIN_CHARS)
    throw new AppError("invalid", `a search needs ${MIN_CHARS} characters`);
  const asked = { ...query, ...requireFilters(query) };
  const { messages, next_cursor } = store.messages.search(agentId, asked);
  const ids = [...new Set(messages.map(({ agent_id }) => agent_id))];
  // A session is published only after its log was read to the end.
  const agents = ids.map((id) => store.sessions.get(id)).filter((agent) => agent !== null);
  const agentIds = new Set(agents.map(({ id }) => id));
  return {
    finds: messages
      .filter(({ agent_id }) => agentIds.has(agent_id))
      .map(({ id, agent_id, role, created_at, content }) => ({
        ...{ id, agent_id, role, created_at },
        ...excerptOf(content, q),
      })),
    agents: agents.map(({ id, runtime, title, lifecycle, pane_id, target }) => ({
      ...{ id, runtime, title, lifecycle, pane_id, target },
    })),
    next_cursor,
    retained_from: store.messages.oldest(),
  };
}

const BEFORE_CHARS = 80;
const AFTER_CHARS = 160;
/** A word at the cut is left out, unless it is longer than this. */
const MAX_WORD_CHARS = 24;

/** One line: the first match, with some of the text around it. */
interface Excerpt {
  before: string;
  match: string;
  after: string;
}

/** @param words found in the text whatever their case and accents */
export function excerptOf(text: string, words: string): Excerpt {
  const plain = text.normalize("NFD");
  const { index = 0, 0: match = "" } = searchPattern(words).exec(plain) ?? {};
  return {
    before: beforeOf(plain.slice(0, index).normalize("NFC")),
    match: inLine(match.normalize("NFC")),
    after: afterOf(plain.slice(index + match.length).normalize("NFC")),
  };
}

function beforeOf(text: string): string {
  if (text.length <= BEFORE_CHARS) return inLine(text).trimStart();
  const cut = new RegExp(`^\\S{0,${MAX_WORD_CHARS}}\\s+`);
  return `… ${inLine(text.slice(-BEFORE_CHARS).replace(cut, ""))}`;
}

function afterOf(text: string): string {
  if (text.length <= AFTER_CHARS) return inLine(text).trimEnd();
  const cut = new RegExp(`\\s+\\S{0,${MAX_WORD_CHARS}}$`);
  return `${inLine(text.slice(0, AFTER_CHARS).replace(cut, ""))} …`;
}

/** A cut may leave half of a character of two units. */
function inLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/^\ufffd|\ufffd$/g, "")
    .replace(/\s+/g, " ");
}
