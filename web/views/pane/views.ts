import { Inspector } from "./inspector.tsx";
import { PaneMenu } from "./menu.tsx";
import { PaneScreen } from "./pane.tsx";
import { RenameSheet } from "./rename.tsx";
import { SideCard } from "./side-card.tsx";

/** All that is drawn of an open pane: loaded together, when the first one is opened. */
export const PANE_VIEWS = { Inspector, PaneMenu, PaneScreen, RenameSheet, SideCard } as const;
