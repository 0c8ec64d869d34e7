import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useBrowser, useClient, useServer } from "./state/client.ts";
import { Button, IconButton } from "./ui/button.tsx";
import { contentOf, leadFocus } from "./ui/focus.ts";
import { Columns } from "./views/columns.tsx";
import { more } from "./views/more.tsx";
import { Boundary, FailureNotice } from "./views/parts/boundary.tsx";
import { useShortcuts } from "./views/shortcuts.ts";
import { common } from "./words/common.ts";

export function App(): JSX.Element {
  const client = useClient();
  const { phase } = client.server;
  const { preferences, router } = client.browser;
  const { textSize, theme } = preferences.current.value;
  useShortcuts();
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

/** Loaded once panes are there, or with the first sheet. */
function Aside(): JSX.Element | null {
  const { panes } = useServer();
  const { router } = useBrowser();
  if (!panes.isLoaded.value && router.sheet.value === null) return null;
  return (
    <Boundary instead={(retry) => <AsideFailed onRetry={retry} />}>
      <more.Aside />
    </Boundary>
  );
}

/** Drawn only over an open sheet; a change of the connection tries again. */
function AsideFailed({ onRetry }: { readonly onRetry: () => void }): JSX.Element | null {
  const { phase } = useServer();
  const { router } = useBrowser();
  const failedIn = useRef(phase.value);
  useEffect(() => {
    if (phase.value !== failedIn.current) onRetry();
  }, [phase.value]);
  if (router.sheet.value === null) return null;
  return (
    <div class="toast" role="dialog" aria-label={common.notShown}>
      <FailureNotice onRetry={onRetry} />
      <Button onClick={() => router.close()}>{common.close}</Button>
    </div>
  );
}

/** The hash is the route, so the link moves the focus itself. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  leadFocus(contentOf(document));
}

/**
 * Covers the header, never an answer. The live regions are always there and only their text changes:
 * screen readers often do not say one that is added together with its text.
 */
export function Toast(): JSX.Element {
  const { messages } = useBrowser();
  const toast = messages.toast.value;
  // A new element for each message, so that the same words are said again.
  const text = toast !== null && <span key={toast.id}>{toast.text}</span>;
  return (
    <div class={toast === null ? "visually-hidden" : "toast flex auto gap-10 round-3"}>
      <span class="visually-hidden" aria-live="polite">
        {messages.announcement.value}
      </span>
      <span class="grow">
        <span aria-live="polite">{toast?.isAlert === false && text}</span>
        <span aria-live="assertive">{toast?.isAlert === true && text}</span>
      </span>
      {toast !== null && toast.action !== null && (
        <Button tone="plain" onClick={toast.action.run}>
          {toast.action.label}
        </Button>
      )}
      {toast !== null && (
        <IconButton icon="close" label={common.close} onClick={() => messages.dismiss()} />
      )}
    </div>
  );
}
