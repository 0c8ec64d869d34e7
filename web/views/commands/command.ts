import type { Pane } from "../../model/pane.ts";
import { nextWaiting } from "../../model/work.ts";
import { agentHash, paneHash, type PageTab } from "../../state/browser/router.ts";
import { CardOffers, type CardAct } from "../queue/acts.tsx";
import { GoThrough } from "../../state/server/pass.ts";
import { Stops } from "../../state/server/stops.ts";
import type { Client } from "../../state/client.ts";
import type { IconName } from "../../ui/button.tsx";
import { hasChanges } from "../pane/head.tsx";
import { leadFocus } from "../../ui/focus.ts";
import { REPLY_KEY } from "../answer/option.tsx";

export interface Action {
  /** Whether the server can do it: else its keys are not listed. Absent: always. */
  readonly able?: (client: Client) => boolean;
  /** Whether what it needs is on the screen. Absent: always. */
  readonly when?: (client: Client) => boolean;
  /** Absent: a control on the screen handles the keys itself. */
  readonly run?: (client: Client) => void;
}

export interface Command extends Action {
  /** The heading in the help. */
  readonly group: "Go" | "Move" | "Answer" | "Card" | "Pane" | "Changes" | "Do" | "Look";
  readonly label: string;
  /** Keys one after another, by the names of `KeyboardEvent.key`; `mod` is a held Cmd or Ctrl. */
  readonly keys?: string;
  /** Absent: not in the palette, which has better ways to do it. */
  readonly icon?: IconName;
}

export const isOffered = (command: Command, client: Client): boolean =>
  command.able?.(client) !== false && command.when?.(client) !== false;

/** The pane on the screen, alone or beside a list. */
export function shownPaneId({ browser }: Client): string | null {
  const { layout, router } = browser;
  return router.openPane.value ?? (layout.columns.value > 1 ? router.paneBeside.value : null);
}

export const shownPane = (client: Client): Pane | null =>
  client.server.panes.latest(shownPaneId(client) ?? "");

export const hasPane = (client: Client): boolean => shownPaneId(client) !== null;

export function focusOn(selector: string): boolean {
  const element = document.querySelector<HTMLElement>(selector);
  leadFocus(element);
  return element !== null;
}

const ROWS = "[data-row], [data-away], .card-title:not(.card-page *)";

export function moveRow(client: Client, step: number): void {
  // `.card-page` holds the card of the selected row, which is no row itself.
  const rows = [...document.querySelectorAll<HTMLElement>(ROWS)];
  // From the selected row, if any, else from the focused one, else into the list from its end.
  const chosen = rows.findIndex((row) => row.dataset["chosen"] !== undefined);
  const from = chosen < 0 ? rows.findIndex((row) => row === document.activeElement) : chosen;
  const first = step > 0 ? 0 : rows.length - 1;
  const next = from < 0 ? first : from + step;
  const row = rows[Math.max(0, Math.min(rows.length - 1, next))];
  if (row?.dataset["away"] === undefined) return leadFocus(row);
  client.browser.near.fetch(row);
  // The row is drawn before this turn ends, a card as another element.
  const card = row.dataset["card"];
  const redrawnRow = () =>
    card === undefined
      ? row.querySelector<HTMLElement>("[data-row]")
      : document.querySelector<HTMLElement>(`[data-card="${CSS.escape(card)}"] .card-title`);
  queueMicrotask(() => leadFocus(redrawnRow()));
}

export function goWaiting(step: 1 | -1): (client: Client) => void {
  return (client) => {
    const { selection, slotsIn } = client.server.queue;
    if (isBesideQueue(client)) {
      const keys = slotsIn("waiting").map(({ card }) => card.key);
      const at = keys.indexOf(selection.key.peek() ?? "");
      const next = keys.at((at < 0 && step < 0 ? at : at + step) % keys.length);
      return next === undefined ? undefined : selection.choose(next);
    }
    const next = nextWaiting(client.server.panes.all.value, shownPaneId(client), step);
    if (next !== null) client.goBeside(next);
  };
}

export function goBack({ browser: { router } }: Client): void {
  const { value } = router.route;
  if (router.openPane.value !== null || router.openAgent.value !== null) router.back();
  else if (value.screen === "pass") router.back("#/queue");
}

export function goFilter(client: Client): void {
  if (focusOn("[data-filter]")) return;
  client.browser.router.go("#/all");
  // The list is drawn before this turn ends.
  queueMicrotask(() => focusOn("[data-filter]"));
}

/** The queue is a list with the card of its selected row beside it. */
const isBesideQueue = ({ browser: { layout, router } }: Client): boolean =>
  layout.columns.value > 1 && router.beside.value === "queue";

/** What a key acts on: the focused card, else the selected card or that of the pass, else the open page. */
function commandTarget(client: Client) {
  const { browser, server } = client;
  const { panes, queue } = server;
  const { openAgent, beside, route } = browser.router;
  const focused = document.activeElement?.closest<HTMLElement>("[data-card], [data-row]")?.dataset;
  const stop = route.value.screen === "pass" ? server.part(GoThrough).stop.value : null;
  const selected = isBesideQueue(client) ? queue.selection.key.value : stop?.card.key;
  const key = focused?.["card"] ?? focused?.["row"] ?? selected ?? "";
  const slot = queue.order.value.find(({ card }) => card.key === key) ?? stop;
  const card = queue.card(key) ?? slot?.card ?? null;
  const shown = shownPane(client);
  const onScreen = beside.value === "pane" ? shown?.agent_id : openAgent.value?.id;
  const agent = (card === null ? onScreen : card.agent_id) ?? null;
  const inPane = panes.all.value.find(({ agent_id }) => agent !== null && agent_id === agent);
  const pane = panes.latest(card?.pane_id ?? inPane?.id ?? shown?.id ?? "");
  return { card: (card ?? queue.card(`agent:${agent}`))?.key ?? "", agent, pane };
}

/** The act of a button of the target's card; null where the card has no such button. */
export const actOfCard = (client: Client, act: CardAct): (() => void) | null =>
  client.server.part(CardOffers).find(commandTarget(client).card, act);

export const onCard = (act: CardAct): Action => ({
  when: (client) => actOfCard(client, act) !== null,
  run: (client) => actOfCard(client, act)?.(),
});

/** The target pane, where its agent works and can be stopped. */
export function stoppable(client: Client): Pane | null {
  const { pane } = commandTarget(client);
  return pane !== null && client.server.part(Stops).can(pane) ? pane : null;
}

/** A tab of the target pane's page, or the chat of a session that is in no pane. */
export function toPage(tab: PageTab): Action {
  const hashOf = (client: Client): string | null => {
    const { agent, pane } = commandTarget(client);
    if (pane === null) return tab === "chat" && agent !== null ? agentHash(agent) : null;
    const hasNone =
      (tab === "chat" && client.server.agentIn(pane) === null) ||
      (tab === "changes" && !hasChanges(client.server, pane));
    return hasNone ? null : paneHash(pane.id, tab);
  };
  return {
    when: (client) => hashOf(client) !== null,
    run: (client) => {
      const { layout, router } = client.browser;
      const hash = hashOf(client);
      if (hash === null) return;
      layout.pageTab.value = tab;
      const open = router.openPane.peek();
      if (open !== null && open === commandTarget(client).pane?.id) router.replace(hash);
      else router.go(hash);
    },
  };
}

const ANSWERS = '[data-options]:not([aria-disabled="true"])';
const REPLIES = `.reply textarea, ${ANSWERS}:has([data-freeform])`;

/** Presses a digit on the answers on the screen: it arms an option, and Enter sends it. */
export const pressDigit = (digit: string): boolean => pressOn(ANSWERS, digit);

/** Likewise with a letter, where the prompt has an option with that key. */
export function pressLetter(letter: string): boolean {
  const option = `[data-key="${CSS.escape(letter)}"]`;
  return firstOnScreen(ANSWERS)?.querySelector(option) != null && pressOn(ANSWERS, letter);
}

/** Focuses the reply field on the screen, or has the answers open theirs. */
export const pressReply = (): boolean => pressOn(REPLIES, REPLY_KEY);

function pressOn(selector: string, key: string): boolean {
  const place = firstOnScreen(selector);
  if (place === undefined) return false;
  leadFocus(place, { preventScroll: true });
  place.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  return true;
}

/** Within the focused card, else the first that can be seen. */
function firstOnScreen(selector: string): HTMLElement | undefined {
  const card = document.activeElement?.closest("article");
  const own = card?.querySelector<HTMLElement>(selector);
  const all = own ? [own] : [...document.querySelectorAll<HTMLElement>(selector)];
  return all.find((place) => {
    const box = place.getBoundingClientRect();
    const area = place.closest(".scroll")?.getBoundingClientRect();
    return box.top < (area?.bottom ?? innerHeight) && box.bottom > (area?.top ?? 0);
  });
}
