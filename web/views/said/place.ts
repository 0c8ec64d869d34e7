import { agentHash } from "../../state/browser/router.ts";

/** Leads to the chat of an agent around one of its messages. */
export const messageHash = (id: string, messageId: string): string => agentHash(id, messageId);
