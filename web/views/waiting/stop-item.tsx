import type { JSX } from "preact";
import type { Pane } from "../../model/pane.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Stops } from "../../state/server/stops.ts";
import { MenuItem } from "../../ui/item.tsx";

/** In a menu: stops the agent of this pane while it works. */
export function StopItem({ pane }: { readonly pane: Pane }): JSX.Element | null {
  const stops = usePart(Stops);
  const server = useServer();
  const { router } = useBrowser();
  if (!stops.can(pane) || !server.can("type")) return null;
  return (
    <MenuItem icon="stop" label="Stop" onClick={() => router.close(() => void stops.press(pane))} />
  );
}
