import type { NamedPane } from "../../src/naming/heuristics.ts";

export const namedPane = (members: Partial<NamedPane>): NamedPane => ({
  ...{ identity: "1:%3", target: "work:1.3", title: "", command: "", cwd: "/srv/app", window: "w" },
  names: { session: "work", windowIndex: "1", paneIndex: "3" },
  ...members,
});
