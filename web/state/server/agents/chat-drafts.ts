import { signal, type Signal } from "@preact/signals";
import {
  agentOfKey,
  chatDraftKey,
  parseChatDraft,
  type ChatDraft,
} from "../../../model/chat/draft.ts";
import { cleanInput } from "../../../model/text.ts";
import { keyOf } from "../../../model/stored.ts";

export interface ChatDraftsDeps {
  readonly storage: Storage;
  /** Whose drafts these are; null until the server has said who it is. */
  readonly instance: () => string | null;
  readonly uuid: () => string;
  /** Epoch seconds. */
  readonly nowSeconds: () => number;
}

/** Messages to agents as this browser keeps them, by agent. Written through at once: a page may die. */
export class ChatDrafts {
  readonly #deps: ChatDraftsDeps;
  readonly #open = new Map<string, Signal<ChatDraft | null>>();

  constructor(deps: ChatDraftsDeps) {
    this.#deps = deps;
  }

  /** Takes up all that is stored, whose agents it gives; what is too old goes. */
  load(): readonly string[] {
    const { storage } = this.#deps;
    const keys = Array.from({ length: storage.length }, (_, i) => storage.key(i));
    return keys.flatMap((key) => {
      const agentId = key === null ? null : this.agentOf(key);
      if (agentId === null) return [];
      if (this.of(agentId).peek() !== null) return [agentId];
      this.keep(agentId, null);
      return [];
    });
  }

  of(agentId: string): Signal<ChatDraft | null> {
    const known = this.#open.get(agentId);
    if (known !== undefined) return known;
    const draft = signal(this.stored(agentId));
    this.#open.set(agentId, draft);
    return draft;
  }

  /** What reads it follows it. */
  all(): readonly (readonly [agentId: string, draft: ChatDraft])[] {
    return [...this.#open].flatMap(([agentId, { value }]) =>
      value === null ? [] : [[agentId, value] as const],
    );
  }

  /** The result is how many control characters were left out. */
  write(agentId: string, written: string): number {
    const { text, removed } = cleanInput(written);
    const id = this.of(agentId).peek()?.id ?? this.#deps.uuid();
    this.keep(agentId, text === "" ? null : this.#draft(id, text));
    return removed;
  }

  /** The same text under another name. */
  anew(agentId: string, text: string): void {
    this.keep(agentId, this.#draft(this.#deps.uuid(), text));
  }

  keep(agentId: string, draft: ChatDraft | null): void {
    const { storage } = this.#deps;
    this.of(agentId).value = draft;
    if (draft === null) storage.removeItem(this.#key(agentId));
    else storage.setItem(this.#key(agentId), JSON.stringify(draft));
  }

  /** As the browser has it now, whichever tab has written it. */
  stored(agentId: string): ChatDraft | null {
    const { nowSeconds, storage } = this.#deps;
    return parseChatDraft(storage.getItem(this.#key(agentId)), nowSeconds());
  }

  /** Whether the browser has the draft that is shown here, with this text and not on its way. */
  isStored(agentId: string, text: string): boolean {
    const stored = this.stored(agentId);
    if (stored === null || stored.leaving !== null || stored.text !== text) return false;
    return stored.id === this.of(agentId).peek()?.id;
  }

  /** The page lets go of them; the browser keeps them. */
  leave(): void {
    for (const draft of this.#open.values()) draft.value = null;
    this.#open.clear();
  }

  /** The agent that a key of this browser is about; null for every other key. */
  agentOf(key: string): string | null {
    return agentOfKey(keyOf("chat."), this.#deps.instance() ?? "", key);
  }

  #draft(id: string, text: string): ChatDraft {
    return { id, text, leaving: null, savedAt: this.#deps.nowSeconds() };
  }

  #key(agentId: string): string {
    return chatDraftKey(keyOf("chat."), this.#deps.instance() ?? "", agentId);
  }
}
