import { useEffect } from "preact/hooks";
import type { Planned } from "../../state/server/agents/planned.ts";
import { useBrowser } from "../../state/client.ts";

const GROUPS = "[data-plan]";

/** Digits choose in the card at hand, 0 leaves it open, Mod+Enter sends the plan. */
export function usePlanKeys(planned: Planned | null): void {
  const { preferences, router } = useBrowser();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { target, key, altKey } = event;
      if (planned === null || router.sheet.peek() !== null || altKey || event.repeat) return;
      if (target instanceof Element && target.matches("input, textarea")) return;
      if (event.metaKey || event.ctrlKey) {
        if (key !== "Enter") return;
        event.preventDefault();
        return void planned.send();
      }
      if (!/^[0-9]$/.test(key) || !preferences.current.peek().singleKeys) return;
      if (chooseAt(Number(key), planned)) event.preventDefault();
    };
    // Before the keys of the whole client, which give digits to the first answers on the screen.
    window.addEventListener("keydown", onKeyDown, true);
    return () => window.removeEventListener("keydown", onKeyDown, true);
  }, [planned]);
}

/** `place` counts from 1; 0 leaves the decision open. False when there is no such option. */
function chooseAt(place: number, planned: Planned): boolean {
  const group = groupAtHand();
  const row = planned.rows.peek().find(({ decision }) => decision.id === group?.dataset["plan"]);
  if (group === undefined || row === undefined) return false;
  const { decision } = row;
  const option = decision.options[place - 1];
  if (place > 0 && option === undefined) return false;
  planned.choose(decision, option?.id ?? null);
  group.querySelectorAll<HTMLElement>("[role=radio]")[Math.max(0, place - 1)]?.focus();
  return true;
}

/** That of the card that has the focus, else the first that can be seen. */
function groupAtHand(): HTMLElement | undefined {
  const own = document.activeElement?.closest("article")?.querySelector<HTMLElement>(GROUPS);
  if (own) return own;
  return [...document.querySelectorAll<HTMLElement>(GROUPS)].find((group) => {
    const box = group.getBoundingClientRect();
    const area = group.closest(".scroll")?.getBoundingClientRect();
    return area !== undefined && box.top < area.bottom && box.bottom > area.top;
  });
}
