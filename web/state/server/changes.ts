import { signal } from "@preact/signals";
import type { ChangedFile, ChangesRange } from "../../../src/protocol/changes.ts";
import { Queries } from "./queries.ts";
import { Part } from "./part.ts";

/** Reloaded when it is shown and when a turn ends. */
export class ChangesPart extends Part {
  readonly range = signal<ChangesRange>("head");

  list(id: string) {
    return this.server
      .part(Queries)
      .query("GET /api/changes", { query: { id, range: this.range.value } });
  }

  file(id: string, { path, old_path }: ChangedFile) {
    const query = { id, range: this.range.value, path, ...(old_path === null ? {} : { old_path }) };
    return this.server.part(Queries).query("GET /api/changes/file", { query });
  }

  refresh(id: string): void {
    this.server.part(Queries).invalidate("GET /api/changes", { id });
  }
}
