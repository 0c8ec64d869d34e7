import {
  ChangedFile,
  type Changes,
  type DiffLine,
  type FileChanges,
} from "../../src/protocol/changes.ts";
import { fixture } from "./fixture.ts";
import type { FixtureServer } from "./fixture-server.ts";

const file = (path: string, added: number, removed: number, more = {}): ChangedFile => ({
  ...fixture(ChangedFile, { path, status: "modified", type: "file", unstaged: true }),
  ...{ added, removed, ...more },
});

const FILES: readonly ChangedFile[] = [
  file("docs/security/sessions.md", 4, 0),
  file("src/auth/legacy-expiry.ts", 0, 5, { status: "deleted" }),
  file("src/auth/session.test.ts", 21, 4),
  file("src/auth/session.ts", 14, 9),
  file("src/auth/ttl.ts", 22, 0, { status: "untracked" }),
  file("web/logo.png", 0, 0, { added: null, removed: null }),
];

const line = (
  old: number | null,
  next: number | null,
  text: string,
  marks: DiffLine["marks"] = [],
): DiffLine => ({ old, new: next, text, marks });

const SESSION: FileChanges = {
  path: "src/auth/session.ts",
  old_path: null,
  named_only: false,
  hunks: [
    {
      heading: "rotate(s: Session)",
      lines: [
        line(39, 39, "/** Extends a live session. */"),
        line(41, 41, "export function rotate(s: Session) {"),
        line(42, null, "  s.expires = now() + DAY;", [{ start: 22, length: 3 }]),
        line(null, 42, "  s.expires = now() + ttl(s.device);", [{ start: 22, length: 13 }]),
        line(null, 43, '  audit("session.rotate", s.id);'),
        line(43, 44, "  return s;"),
        line(44, 45, "}"),
      ],
    },
    {
      heading: "",
      lines: [
        line(77, 78, ""),
        line(78, null, "const expired = (s) => s.expires < now();"),
        line(null, 79, "export const expired = (s: Session) => s.expires <= now();"),
      ],
    },
  ],
};

/** The pane's folder is a work tree with these changes. */
export function changedFolder(server: FixtureServer): { list: Changes; file: FileChanges } {
  server.config._info.capabilities.changes_v1 = { version: 1 };
  const told = {
    list: {
      ...{ range: "head", top: "/home/dev/code/api", within: null },
      ...{ branch: "auth/rotation", base: "main", files: [...FILES], total: FILES.length },
      ...{ added: 61, removed: 18, other_panes: ["%31"] },
    } as Changes,
    file: structuredClone(SESSION),
  };
  server.replies["/api/changes"] = () => told.list;
  server.replies["/api/changes/file"] = (_, query) => {
    const path = query.get("path") ?? "";
    if (path === told.file.path) return told.file;
    return { path, old_path: null, named_only: path.endsWith(".png"), hunks: [] };
  };
  return told;
}
