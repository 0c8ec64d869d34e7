import type { Pane } from "../../model/pane.ts";
import { nextWaiting } from "../../model/work.ts";
import { agentHash, paneHash, type PageTab } from "../../state/browser/router.ts";
import { CardOffers, type CardAct } from "../../state/server/offers.ts";
import { GoThrough } from "../../state/server/pass.ts";
import { Stops } from "../../state/server/stops.ts";
import type { Client } from "../../state/client.ts";
import type { IconName } from "../../ui/icons.tsx";
import { hasChanges } from "../pane/head.tsx";
import { leadFocus } from "../../ui/focus.ts";
import { REPLY_KEY } from "../answer/option.tsx";

export interface Action {
  /** What only some servers can do: elsewhere its keys are not told. Absent: always. */
  readonly able?: (client: Client) => boolean;
  /** What also needs something on the screen. Absent: always. */
  readonly when?: (client: Client) => boolean;
  /** Absent: the control that the keys belong to hears them itself. */
  readonly run?: (client: Client) => void;
}

export interface Command extends Action {
  /** Its place in the list of all keys. */
  readonly group: "go" | "move" | "answer" | "review" | "pane" | "files" | "do" | "look";
  readonly label: string;
  /** Keys one after another as `KeyboardEvent.key` names them; `mod` is Cmd or Ctrl, held. */
  readonly keys?: string;
  /** Absent: for the keyboard alone, the palette has better ways to do it. */
  readonly icon?: IconName;
}

export const isOffered = (command: Command, client: Client): boolean =>
  command.able?.(client) !== false && command.when?.(client) !== false;

/** The pane that is on the screen. */
export function shownPaneId({ browser }: Client): string | null {
  const { layout, router } = browser;
  return router.openPane.value ?? (layout.columns.value > 1 ? router.paneBeside.value : null);
}

export const shownPane = (client: Client): Pane | null =>
  client.server.panes.latest(shownPaneId(client) ?? "");

export const hasPane = (client: Client): boolean => shownPaneId(client) !== null;

export function withPane(run: (client: Client, pane: Pane) => void): (client: Client) => void {
  return (client) => {
    const pane = shownPane(client);
    if (pane !== null) run(client, pane);
  };
}

export function focusOn(selector: string): boolean {
  const element = document.querySelector<HTMLElement>(selector);
  leadFocus(element);
  return element !== null;
}

const ROWS = "[data-row], [data-away], .card-title:not(.card-page *)";

/** Along the rows and cards of a list. */
export function moveRow(client: Client, step: number): void {
  // The card of the row that is selected is no row.
  const rows = [...document.querySelectorAll<HTMLElement>(ROWS)];
  // Beside a card from the one that is chosen, wherever the focus is; from elsewhere into the list.
  const chosen = rows.findIndex((row) => row.dataset["chosen"] !== undefined);
  const from = chosen < 0 ? rows.findIndex((row) => row === document.activeElement) : chosen;
  const first = step > 0 ? 0 : rows.length - 1;
  const next = from < 0 ? first : from + step;
  const row = rows[Math.max(0, Math.min(rows.length - 1, next))];
  if (row?.dataset["away"] === undefined) return leadFocus(row);
  client.browser.near.fetch(row);
  // Drawn before this turn ends; a card is another element then.
  const card = row.dataset["card"];
  const drawn = () =>
    card === undefined
      ? row.querySelector<HTMLElement>("[data-row]")
      : document.querySelector<HTMLElement>(`[data-card="${CSS.escape(card)}"] .card-title`);
  queueMicrotask(() => leadFocus(drawn()));
}

/** From one that waits to the next, or back. */
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
  // Drawn before this turn ends.
  queueMicrotask(() => focusOn("[data-filter]"));
}

/** A list of the queue with the card of its selected row beside it. */
const isBesideQueue = ({ browser: { layout, router } }: Client): boolean =>
  layout.columns.value > 1 && router.beside.value === "queue";

/**
 * What a key acts on: the card that has the focus, else the one that is selected or gone through, else
 * the agent or the pane on the screen.
 */
function atHand(client: Client) {
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
  return { card: (card ?? queue.cardOf(agent))?.key ?? "", agent, pane };
}

/** What a button of the card at hand does; null where it has none. */
export const actOfCard = (client: Client, act: CardAct): (() => void) | null =>
  client.server.part(CardOffers).find(atHand(client).card, act);

export const onCard = (act: CardAct): Action => ({
  when: (client) => actOfCard(client, act) !== null,
  run: (client) => actOfCard(client, act)?.(),
});

/** The pane at hand, where its agent works and can be stopped. */
export function stoppable(client: Client): Pane | null {
  const { pane } = atHand(client);
  return pane !== null && client.server.part(Stops).can(pane) ? pane : null;
}

/** The tabs of the page of the pane at hand, else the chat of the session that is in none. */
export function toPage(tab: PageTab): Action {
  const hashOf = (client: Client): string | null => {
    const { agent, pane } = atHand(client);
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
      if (open !== null && open === atHand(client).pane?.id) router.replace(hash);
      else router.go(hash);
    },
  };
}

const ANSWERS = '[data-options]:not([aria-disabled="true"])';
const REPLIES = `.reply textarea, ${ANSWERS}:has([data-freeform])`;

/** Gives a digit to the answers that are on the screen: it arms, Enter sends. */
export const passDigit = (digit: string): boolean => pass(ANSWERS, digit);

/** The same with a letter, where the prompt has an option of that name. */
export function passLetter(letter: string): boolean {
  const option = `[data-key="${CSS.escape(letter)}"]`;
  return firstOnScreen(ANSWERS)?.querySelector(option) != null && pass(ANSWERS, letter);
}

/** Leads to the reply field that is on the screen, or lets the answers open theirs. */
export const passReply = (): boolean => pass(REPLIES, REPLY_KEY);

function pass(selector: string, key: string): boolean {
  const place = firstOnScreen(selector);
  if (place === undefined) return false;
  leadFocus(place, { preventScroll: true });
  place.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  return true;
}

/** That of the card that has the focus, else the first that can be seen. */
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
