import type { ChatMessage, MessageRole, MessageStatus } from "../../protocol/agents.ts";
import type { MessageEvent } from "../logs/events.ts";

export interface MessageRow {
  seq: number;
  id: string;
  agent_id: string;
  role: MessageRole;
  content: string;
  status: MessageStatus;
  native_id: string | null;
  client_id: string | null;
  parent_id: string | null;
  ordinal: number | null;
  source: string;
  generation: string;
  is_fallback: number;
  folded: string | null;
  created_at: number;
  updated_at: number;
  observed_at: number | null;
  words: bigint | number | null;
}

/** A message with where its record stands. */
export interface ReadMessage {
  event: MessageEvent;
  /** The text as a person may see it. */
  text: string;
  at: number;
  /** `path#generation` of the file. */
  generation: string;
  /** Byte offset of its record. */
  offset: number;
}

export function messageOf(row: MessageRow): ChatMessage {
  return {
    id: row.id,
    agent_id: row.agent_id,
    role: row.role,
    content: row.content,
    status: row.status,
    native_event_id: row.native_id,
    client_message_id: row.client_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
