import { useEffect } from "preact/hooks";
import { useClient } from "../state/client.ts";
import { isField } from "../ui/focus.ts";
import { later } from "../state/later.ts";
import { loadMore } from "./more.tsx";

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
export function useShortcuts(): void {
  const client = useClient();
  useEffect(() => {
    let act: ((event: KeyboardEvent) => void) | null = null;
    const onKeyDown = (event: KeyboardEvent) => {
      act ??= later.loaded?.keysOf(client) ?? null;
      if (act !== null) return act(event);
      const pressedAt = performance.now();
      // An early key waits for that, but not so long that another screen may be there.
      void loadMore().then(
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
