import type { Pane } from "../../model/pane.ts";
import type { Client } from "../../state/client.ts";
import type { IconName } from "../../ui/icons.tsx";

export interface Command {
  readonly label: string;
  readonly icon: IconName;
  /** Keys one after another as `KeyboardEvent.key` names them; `mod` is Cmd or Ctrl, held. */
  readonly keys: string;
  /** Only for the keyboard: the palette has better ways to do it. */
  readonly isKeyOnly?: boolean;
  /** Absent: always. */
  readonly isOffered?: (client: Client) => boolean;
  readonly run: (client: Client) => void;
}

export const isOffered = (command: Command, client: Client): boolean =>
  command.isOffered?.(client) !== false;

/** The pane that is on the screen. */
export function shownPaneId({ browser }: Client): string | null {
  const { layout, router } = browser;
  return router.openPane.value ?? (layout.columns.value > 1 ? router.paneBeside.value : null);
}

export const hasPane = (client: Client): boolean => shownPaneId(client) !== null;

export function withPane(run: (client: Client, pane: Pane) => void): (client: Client) => void {
  return (client) => {
    const pane = client.server.panes.latest(shownPaneId(client) ?? "");
    if (pane !== null) run(client, pane);
  };
}

export function aboutPane(sheet: string): (client: Client) => void {
  return (client) => client.browser.router.show(sheet, shownPaneId(client));
}

export function focusOn(selector: string): boolean {
  const element = document.querySelector<HTMLElement>(selector);
  element?.focus();
  return element !== null;
}
