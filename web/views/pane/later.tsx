import { lazyView } from "../parts/lazy.tsx";

/** Asked for ahead where a pane will be on the screen at once, or soon. */
export const loadPaneViews = async () => (await import("./views.ts")).PANE_VIEWS;

export const Inspector = lazyView(async () => (await loadPaneViews()).Inspector);
export const PaneMenu = lazyView(async () => (await loadPaneViews()).PaneMenu);
export const PaneScreen = lazyView(async () => (await loadPaneViews()).PaneScreen);
export const RenameSheet = lazyView(async () => (await loadPaneViews()).RenameSheet);
export const SideCard = lazyView(async () => (await loadPaneViews()).SideCard);
