import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import type { Planned } from "../../state/server/agents/planned.ts";
import { useBrowser } from "../../state/client.ts";

const GROUPS = "[data-plan]";

/** Digits choose in the card at hand, 0 leaves it open, Mod+Enter sends the plan. */
export function usePlanKeys(element: RefObject<HTMLElement | null>, planned: Planned | null): void {
  const { preferences, router } = useBrowser();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { target, key, altKey } = event;
      if (planned === null || router.sheet.peek() !== null || altKey || event.repeat) return;
      // With the focus in another column its keys are that column's.
      const isOurs = target === document.body || isInside(element.current, target);
      if (!isOurs) return;
      if (event.metaKey || event.ctrlKey) {
        if (key !== "Enter") return;
        event.preventDefault();
        return void planned.send();
      }
      if (!/^[0-9]$/.test(key) || !preferences.current.peek().singleKeys) return;
      if (chooseAt(element.current, Number(key), planned)) event.preventDefault();
    };
    // Before the keys of the whole client, which give digits to the first answers on the screen.
    window.addEventListener("keydown", onKeyDown, true);
    return () => window.removeEventListener("keydown", onKeyDown, true);
  }, [planned]);
}

const isInside = (element: HTMLElement | null, target: EventTarget | null): boolean =>
  target instanceof Node && element?.contains(target) === true;

/** `place` counts from 1; 0 leaves the decision open. False when there is no such option. */
function chooseAt(element: HTMLElement | null, place: number, planned: Planned): boolean {
  const group = groupAtHand(element);
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
function groupAtHand(element: HTMLElement | null): HTMLElement | undefined {
  const own = document.activeElement?.closest("article")?.querySelector<HTMLElement>(GROUPS);
  if (own && element?.contains(own)) return own;
  const area = element?.querySelector(".scroll")?.getBoundingClientRect();
  return [...(element?.querySelectorAll<HTMLElement>(GROUPS) ?? [])].find((group) => {
    const box = group.getBoundingClientRect();
    return area !== undefined && box.top < area.bottom && box.bottom > area.top;
  });
}
