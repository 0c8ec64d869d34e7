import type { JSX } from "preact";
import { hostOf, isAway } from "../../model/hosts.ts";
import type { Pane } from "../../model/pane.ts";
import { useServer } from "../../state/client.ts";
import { Icon } from "../../ui/icons.tsx";

/** Which machine a pane is on. Drawn only where there are several. */
export function HostChip({ pane }: { readonly pane: Pane }): JSX.Element | null {
  const host = hostOf(pane, useServer().hosts.value);
  if (host === null) return null;
  return (
    <span class={`host-chip ${isAway(host) ? "stale" : ""}`}>
      <Icon name="machine" />
      {host.name}
    </span>
  );
}
