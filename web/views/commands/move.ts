import type { Client } from "../../state/client.ts";
import { commands as words } from "../../words/commands.ts";
import { focusOn, shownPaneId, type Command } from "./command.ts";

/** Along a list, from one that waits to the next, and back. */
export const MOVE = {
  nextRow: {
    label: words.nextRow,
    icon: "down",
    keys: "j",
    isKeyOnly: true,
    run: (client) => moveRow(client, 1),
  },
  previousRow: {
    label: words.previousRow,
    icon: "up",
    keys: "k",
    isKeyOnly: true,
    run: (client) => moveRow(client, -1),
  },
  nextWaiting: {
    label: words.nextWaiting,
    icon: "next",
    keys: "n",
    isOffered: (client) => client.server.nextWaiting(shownPaneId(client)) !== null,
    run: (client) => goWaiting(client, 1),
  },
  previousWaiting: {
    label: words.previousWaiting,
    icon: "back",
    keys: "p",
    isKeyOnly: true,
    run: (client) => goWaiting(client, -1),
  },
  back: {
    label: words.back,
    icon: "back",
    keys: "Escape",
    isKeyOnly: true,
    run: ({ browser: { router } }) => {
      const { value } = router.route;
      if (router.openPane.value !== null || router.openAgent.value !== null) router.back();
      else if (value.screen === "review" && value.part === "plan") router.back("#/review");
    },
  },
  filter: {
    label: words.filter,
    icon: "search",
    keys: "/",
    isKeyOnly: true,
    run: (client) => {
      if (focusOn("[data-filter]")) return;
      client.browser.router.goTab("all");
      requestAnimationFrame(() => focusOn("[data-filter]"));
    },
  },
} as const satisfies Record<string, Command>;

function goWaiting(client: Client, step: 1 | -1): void {
  const next = client.server.nextWaiting(shownPaneId(client), step);
  if (next !== null) client.browser.router.replacePane(next.id);
}

export function moveRow(client: Client, step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row], [data-away], .card-title")];
  const at = rows.findIndex((row) => row === document.activeElement);
  // From elsewhere on the screen: on from the card that is chosen, else into the list.
  const from = at < 0 ? rows.findIndex((row) => row.dataset["chosen"] !== undefined) : at;
  const first = step > 0 ? 0 : rows.length - 1;
  const next = from < 0 ? first : from + step;
  const row = rows[Math.max(0, Math.min(rows.length - 1, next))];
  if (row?.dataset["away"] === undefined) return row?.focus();
  client.browser.near.fetch(row);
  // Drawn before this turn ends.
  queueMicrotask(() => row.querySelector<HTMLElement>("[data-row]")?.focus());
}
