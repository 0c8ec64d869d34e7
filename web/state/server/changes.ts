import { signal } from "@preact/signals";
import type {
  ChangedFile,
  Changes,
  ChangesRange,
  FileChanges,
} from "../../../src/protocol/changes.ts";
import { LaterApi } from "../../net/later-api.ts";
import type { Part, PartDeps } from "./part.ts";
import { Query } from "./query.ts";

/** What changed in the folders of panes. Asked for when it is shown, and anew when a turn ends. */
export class ChangesPart implements Part {
  readonly range = signal<ChangesRange>("head");
  readonly #api: LaterApi;
  readonly #lists = new Map<string, Query<Changes>>();
  readonly #files = new Map<string, Query<FileChanges>>();

  constructor({ api }: Pick<PartDeps, "api">) {
    this.#api = new LaterApi(api);
  }

  list(paneId: string): Query<Changes> {
    const range = this.range.value;
    return known(
      this.#lists,
      `${paneId} ${range}`,
      () => new Query((signal) => this.#api.changes({ id: paneId, range }, signal)),
    );
  }

  file(paneId: string, { path, old_path }: ChangedFile): Query<FileChanges> {
    const range = this.range.value;
    const asked = { id: paneId, range, path, ...(old_path === null ? {} : { old_path }) };
    return known(
      this.#files,
      `${paneId} ${range} ${path}`,
      () => new Query((signal) => this.#api.fileChanges(asked, signal)),
    );
  }

  /** What is shown of a pane is asked for anew; the rest when it is next shown. */
  refresh(paneId: string): void {
    for (const queries of [this.#lists, this.#files])
      for (const [key, query] of queries) if (key.startsWith(`${paneId} `)) query.invalidate();
  }

  clear(): void {
    this.#lists.clear();
    this.#files.clear();
  }
}

function known<T>(all: Map<string, T>, key: string, make: () => T): T {
  const found = all.get(key) ?? make();
  all.set(key, found);
  return found;
}
