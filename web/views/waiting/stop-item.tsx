import type { JSX } from "preact";
import type { Pane } from "../../model/pane.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Stops } from "../../state/server/stops.ts";
import { MenuItem } from "../../ui/item.tsx";
import { waiting as words } from "../../words/waiting.ts";

/** In a menu: stops the agent of this pane while it works. */
export function StopItem({ pane }: { readonly pane: Pane }): JSX.Element | null {
  const stops = usePart(Stops);
  const server = useServer();
  const {} = server;
  const { router } = useBrowser();
  if (!stops.can(pane) || !server.can("type")) return null;
  return (
    <MenuItem
      icon="stop"
      label={words.stop}
      onClick={() => router.close(() => void stops.press(pane))}
    />
  );
}
