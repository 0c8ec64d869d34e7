import type { Pane } from "../../model/pane.ts";
import type { Client } from "../../state/client.ts";

/** Stars or unstars a pane at once; taken back with a message when the server does not save it. */
export async function toggleStar({ browser, server }: Client, pane: Pane): Promise<void> {
  const { api, panes } = server;
  const starred = !pane.starred;
  const saved = panes.overlay(pane.id, { starred });
  const result = await api.call("POST /api/star", { json: { target: pane.target, starred } });
  saved(result.ok);
  if (!result.ok) browser.messages.alert("The star could not be saved.");
}

/** Lets go of a target that stands for no pane any more: its name, kind and star with it. */
export async function forgetTarget({ browser, server }: Client, pane: Pane): Promise<void> {
  const failure = await server.settings.change("overrides", (all) =>
    all.filter(({ target }) => target !== pane.target),
  );
  if (failure !== null) browser.messages.alert("It was not forgotten.");
  else if (browser.router.openPane.peek() === pane.id) browser.router.back();
}
