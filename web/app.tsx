import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useBrowser, useClient, useServer } from "./state/client.ts";
import { Columns } from "./views/columns.tsx";
import { loadSoon, more } from "./views/more.tsx";
import { Failed } from "./views/parts/boundary.tsx";
import { useShortcuts } from "./views/shortcuts.ts";
import { Toast } from "./views/toast.tsx";
import { Button } from "./ui/button.tsx";
import { common } from "./words/common.ts";
import { leadFocus } from "./ui/focus.ts";

/** The whole client. Width alone decides the columns; crossing a breakpoint keeps the pane. */
export function App(): JSX.Element {
  const client = useClient();
  const { phase } = client.server;
  const { preferences, router } = client.browser;
  const { textSize, theme } = preferences.current.value;
  useShortcuts();
  useViewsAhead();
  useEffect(() => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    for (const meta of document.querySelectorAll<HTMLMetaElement>("meta[data-scheme]")) {
      const { scheme } = meta.dataset;
      const chosen = theme === scheme ? "all" : "not all";
      meta.media = theme === "system" ? `(prefers-color-scheme: ${scheme})` : chosen;
    }
  }, [theme]);
  useEffect(() => {
    document.documentElement.dataset.text = textSize;
  }, [textSize]);
  const shown = phase.value;
  if (shown === "unauthorized" || router.route.value.screen === "signin") return <more.SignIn />;
  if (shown === "incompatible") return <more.Incompatible />;
  if (router.route.value.screen === "paired") return <more.Paired />;
  return (
    <>
      <div class="app clip ground" data-behind-sheets>
        <a class="skip-link" href="#content" onClick={skip}>
          Skip to content
        </a>
        <Columns />
      </div>
      <Toast />
      <Aside />
    </>
  );
}

/** Sheets, and what the page does by itself: they come once panes are there, with low data too. */
function Aside(): JSX.Element | null {
  const { panes, phase } = useServer();
  const { router } = useBrowser();
  const [View, setView] = useState<ComponentType | null>(null);
  const [hasFailed, setFailed] = useState(false);
  const hasSheet = router.sheet.value !== null;
  const isWanted = View === null && !hasFailed && (panes.isLoaded.value || hasSheet);
  useEffect(() => setFailed(false), [phase.value]);
  useEffect(() => {
    if (!isWanted) return;
    import("./views/aside.tsx").then(
      ({ Aside: Loaded }) => setView(() => Loaded),
      () => setFailed(true),
    );
  }, [isWanted]);
  if (View !== null) return <View />;
  if (!hasFailed || !hasSheet) return null;
  return (
    <div class="toast" role="dialog" aria-label={common.notShown}>
      <Failed onRetry={() => setFailed(false)} />
      <Button onClick={() => router.close()}>{common.close}</Button>
    </div>
  );
}

/** Asks for the views of a pane, and for what keys do, before they are needed: at once where one is on the screen. */
function useViewsAhead(): void {
  const { panes } = useServer();
  const { layout, router, wantsLowData } = useBrowser();
  const isNeeded = layout.columns.value > 1 || router.openPane.value !== null;
  const isWanted = isNeeded || (panes.isLoaded.value && !wantsLowData);
  useEffect(() => {
    if (!isWanted) return;
    // Whoever draws them says when they cannot be loaded.
    loadSoon().catch(() => undefined);
  }, [isWanted]);
}

/** The hash is the route, so the link moves the focus itself. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  const content = document.getElementById("content");
  content?.setAttribute("tabindex", "-1");
  leadFocus(content);
}
