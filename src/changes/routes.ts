import { jsonWithEtag } from "../lib/json-with-etag.ts";
import type { Handlers, Slice } from "../slice.ts";
import { noSuchPane } from "../terminal/reading.ts";
import { elsewhere, findGit } from "./ask.ts";
import { sweepGitDirs } from "./git.ts";
import { ChangeReader, type ChangesDeps } from "./changes.ts";

interface ChangesSliceDeps extends ChangesDeps {
  hub: { resolve(idOrTarget: string): { id: string; cwd: string } | null };
  isLocalPane(id: string): boolean;
}

export function changesSlice({ hub, isLocalPane, ...deps }: ChangesSliceDeps): Slice {
  const changes = new ChangeReader(deps);
  const paneOf = (id: string) => {
    const pane = hub.resolve(id);
    if (!pane) throw noSuchPane(id);
    if (!isLocalPane(pane.id)) throw elsewhere();
    return pane;
  };
  const routes: Handlers = {
    "GET /api/changes": async (c) => {
      const { id, range } = c.req.valid("query");
      return jsonWithEtag(c.req.raw, await changes.list(paneOf(id), range));
    },
    "GET /api/changes/file": async (c) => {
      const { id, ...wanted } = c.req.valid("query");
      return jsonWithEtag(c.req.raw, await changes.file(paneOf(id), wanted));
    },
  };
  return {
    name: "changes",
    routes,
    start: () => void sweepGitDirs().catch(() => undefined),
    capabilities: () => (findGit() === null ? {} : { changes_v1: { version: 1 } }),
  };
}
