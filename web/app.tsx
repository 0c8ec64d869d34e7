import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useBrowser, useClient, useServer } from "./state/client.ts";
import { Button, IconButton } from "./ui/button.tsx";
import { contentOf, leadFocus, isField } from "./ui/focus.ts";
import { Columns } from "./views/columns.tsx";
import { more } from "./views/more.tsx";
import { Boundary, FailureNotice } from "./views/parts/boundary.tsx";
import { common } from "./words/common.ts";
import { later, loadWhole } from "./state/later.ts";

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
        <a class="skip-link round-3 text-accent" href="#content" onClick={skip}>
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

const LOAD_AGAIN_MS = 30_000;

/** Drawn only over an open sheet. Tries again after a while, and when the connection changes. */
function AsideFailed({ onRetry }: { readonly onRetry: () => void }): JSX.Element | null {
  const { phase } = useServer();
  const { router } = useBrowser();
  const failedIn = useRef(phase.value);
  useEffect(() => {
    if (phase.value !== failedIn.current) onRetry();
  }, [phase.value]);
  useEffect(() => {
    const timer = setTimeout(onRetry, LOAD_AGAIN_MS);
    return () => clearTimeout(timer);
  }, []);
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

/** After such a pause a person has seen that the field is gone. */
const PAUSE_MS = 2000;
/** Keys that leave a field, beside those with a modifier. */
const LEAVES: ReadonlySet<string> = new Set(["Enter", "Escape", "Tab", "F6"]);

/**
 * A field can vanish with its prompt while somebody types in it. The keys that follow were meant for the
 * field: until a press or a pause they answer nothing and are no commands.
 */
function swallowStrayKeys(signal: AbortSignal): void {
  let field: EventTarget | null = null;
  let typedAt = 0;
  const leave = () => {
    field = null;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const now = performance.now();
    const isOwn = isField(event.target);
    const isStray = field !== null && !isOwn && now - typedAt < PAUSE_MS;
    const leaves = event.metaKey || event.ctrlKey || event.altKey || LEAVES.has(event.key);
    if (isStray && (!leaves || event.key === "Enter")) {
      event.preventDefault();
      event.stopImmediatePropagation();
    } else if (leaves || !isOwn) return leave();
    else field = event.target;
    typedAt = now;
  };
  window.addEventListener("keydown", onKeyDown, { capture: true, signal });
  window.addEventListener("pointerdown", leave, { capture: true, signal });
}

/** Keys of the whole page; what they do is loaded later. */
function useShortcuts(): void {
  const client = useClient();
  useEffect(() => {
    let act: ((event: KeyboardEvent) => void) | null = null;
    const onKeyDown = (event: KeyboardEvent) => {
      act ??= later.loaded.peek()?.keysOf(client) ?? null;
      if (act !== null) return act(event);
      const pressedAt = performance.now();
      // An early key waits for that, but not so long that another screen may be there.
      void loadWhole().then(
        () => performance.now() - pressedAt < PAUSE_MS && onKeyDown(event),
        () => undefined,
      );
    };
    const ends = new AbortController();
    swallowStrayKeys(ends.signal);
    window.addEventListener("keydown", onKeyDown, { signal: ends.signal });
    return () => ends.abort();
  }, [client]);
}
