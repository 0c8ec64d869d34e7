import { signal } from "@preact/signals";
import type {
  ChangedFile,
  Changes,
  ChangesRange,
  FileChanges,
} from "../../../src/protocol/changes.ts";
import type { Part, Server } from "./server.ts";
import { Query } from "./query.ts";
import { promised, type Api } from "../../net/api.ts";

/** What changed in the folders of panes. Asked for when it is shown, and anew when a turn ends. */
export class ChangesPart implements Part {
  readonly range = signal<ChangesRange>("head");
  readonly #api: Api;
  readonly #lists = new Map<string, Query<Changes>>();
  readonly #files = new Map<string, Query<FileChanges>>();

  constructor({ api }: Server) {
    this.#api = api;
  }

  list(paneId: string): Query<Changes> {
    const range = this.range.value;
    return known(
      this.#lists,
      `${paneId} ${range}`,
      () =>
        new Query((signal) =>
          this.#api.call("GET /api/changes", {
            ...{ query: { id: paneId, range }, signal, read: promised<Changes> },
          }),
        ),
    );
  }

  file(paneId: string, { path, old_path }: ChangedFile): Query<FileChanges> {
    const range = this.range.value;
    const asked = { id: paneId, range, path, ...(old_path === null ? {} : { old_path }) };
    return known(
      this.#files,
      `${paneId} ${range} ${path}`,
      () =>
        new Query((signal) =>
          this.#api.call("GET /api/changes/file", {
            ...{ query: asked, signal, read: promised<FileChanges> },
          }),
        ),
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
