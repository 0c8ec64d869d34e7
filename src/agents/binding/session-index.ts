import type { CandidateSession } from "./candidates.ts";
import type { KnownSession } from "../known.ts";
import { realFolder } from "./observed-panes.ts";
import { shownMessage } from "./screen-words.ts";
import type { AgentStore } from "../store/store.ts";

/** Of a session's end, enough to be found on a screen. */
const MESSAGES_LOOKED_FOR = 12;

/** All sessions as association looks at them; read again only when the store changed one. */
export class SessionIndex {
  readonly #store: AgentStore;
  readonly #known = new Map<string, { session: KnownSession; candidate: CandidateSession }>();
  #changed: Set<string> | "all" = "all";

  constructor(store: AgentStore) {
    this.#store = store;
  }

  /** Something that association looks at may have changed of this session. */
  touch(id: string): void {
    if (this.#changed !== "all") this.#changed.add(id);
  }

  get hasNews(): boolean {
    return this.#changed === "all" || this.#changed.size > 0;
  }

  async read(): Promise<
    ReadonlyMap<string, { session: KnownSession; candidate: CandidateSession }>
  > {
    const changed = this.#changed;
    this.#changed = new Set();
    const found = changed === "all" ? this.#store.sessions.all() : this.#some(changed);
    for (const session of found)
      this.#known.set(session.session.id, { session, candidate: await this.#candidate(session) });
    return this.#known;
  }

  #some(ids: ReadonlySet<string>): KnownSession[] {
    return [...ids].flatMap((id) => {
      const session = this.#store.sessions.known(id);
      if (!session) this.#known.delete(id);
      return session ?? [];
    });
  }

  async #candidate({ session, facts, binding }: KnownSession): Promise<CandidateSession> {
    const latest = this.#store.messages.latest(session.id, MESSAGES_LOOKED_FOR);
    return {
      id: session.id,
      runtime: session.runtime,
      nativeId: session.native_session_id,
      cwd: facts.cwd,
      folder: facts.cwd === null ? null : await realFolder(facts.cwd),
      beganAt: facts.startedAt ?? facts.firstAt,
      lastAt: facts.lastAt,
      isInteractive: facts.isTyped,
      messages: latest.toReversed().map(({ role, content }) => shownMessage(role, content)),
      newestMessage: latest[0]?.id ?? null,
      before: binding,
    };
  }
}
