import { useEffect } from "preact/hooks";
import { useClient, type Client } from "../state/client.ts";
import { isField } from "../ui/focus.ts";
import { later } from "../state/later.ts";
import { loadMore } from "./more.tsx";

/** Who pauses for so long has looked up. */
const PAUSE_MS = 2000;
/** By these, and by keys with a modifier, a person leaves a field. */
const LEAVES: ReadonlySet<string> = new Set(["Enter", "Escape", "Tab", "F6"]);

/**
 * What somebody writes in can go, with the prompt that it belonged to. What is typed on is meant for
 * it: it answers nothing and is no command, wherever the focus is now, until a press or a pause.
 */
function swallowStrayKeys(clock: Client["browser"]["clock"], signal: AbortSignal): void {
  let field: EventTarget | null = null;
  let typedAt = 0;
  const leave = () => {
    field = null;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const now = clock.monotonicMs();
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

/** Keys of the whole client. What they do comes with a later part. */
export function useShortcuts(): void {
  const client = useClient();
  useEffect(() => {
    let act: ((event: KeyboardEvent) => void) | null = null;
    const { clock } = client.browser;
    const onKeyDown = (event: KeyboardEvent) => {
      act ??= later.here?.keysOf(client) ?? null;
      if (act !== null) return act(event);
      const pressedAt = clock.monotonicMs();
      // A key that comes first waits for what keys do, and not until something else is on the screen.
      void loadMore().then(
        () => clock.monotonicMs() - pressedAt < PAUSE_MS && onKeyDown(event),
        () => undefined,
      );
    };
    const ends = new AbortController();
    swallowStrayKeys(clock, ends.signal);
    window.addEventListener("keydown", onKeyDown, { signal: ends.signal });
    return () => ends.abort();
  }, [client]);
}
