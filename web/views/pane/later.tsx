import { laterView } from "../parts/lazy.tsx";

/** Asked for ahead where a pane will be on the screen at once, or soon. */
export const loadPaneViews = async () => (await import("./views.ts")).PANE_VIEWS;

export const Inspector = laterView(async () => (await loadPaneViews()).Inspector);
export const PaneMenu = laterView(async () => (await loadPaneViews()).PaneMenu);
/** The page has its main part from the first moment on. */
export const PaneScreen = laterView(
  async () => (await loadPaneViews()).PaneScreen,
  () => <main class="pane" id="content" />,
);
export const RenameSheet = laterView(async () => (await loadPaneViews()).RenameSheet);
export const SideCard = laterView(async () => (await loadPaneViews()).SideCard);
