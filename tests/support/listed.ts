import type { ListedPane } from "../../src/terminal/provider.ts";
import { pane } from "./pane.ts";

/** A shell as a provider lists it; a test states what matters to it. */
export function listedPane(members: Partial<ListedPane> = {}): ListedPane {
  return {
    ...{ id: "", identity: "", target: "", revision: "", window: "1" },
    ...{ title: "", command: "sh", cwd: "/", isCreatedHere: false, hasProgress: false },
    ...{
      hasEnded: false,
      width: 80,
      height: 24,
      alternate: false,
      cursor: null,
      hierarchy: [],
      native: null,
    },
    names: { session: "work", windowIndex: "1", paneIndex: "1" },
    capabilities: pane().capabilities,
    ...members,
  };
}
