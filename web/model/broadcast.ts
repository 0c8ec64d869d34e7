import { appearanceOf, isGuarded, takesInput, waits, type Pane } from "./pane.ts";

/** The most panes that one broadcast reaches. */
export const MAX_RECIPIENTS = 200;

export type LeftOut = "waiting" | "offline" | "stale" | "guarded" | "read_only" | "held";

/** Panes with something on its way, or that may have arrived: nothing else goes there. */
export type IsHeld = (paneId: string) => boolean;

/** Why a broadcast does not go to this pane; null when it can. */
export function leftOutReason(pane: Pane, isHeld: IsHeld): LeftOut | null {
  const appearance = appearanceOf(pane);
  if (appearance === "offline" || appearance === "stale") return appearance;
  if (waits(pane)) return "waiting";
  if (isGuarded(pane)) return "guarded";
  if (isHeld(pane.id)) return "held";
  return takesInput(pane) && pane.capabilities.broadcast ? null : "read_only";
}

/** Of the chosen panes, those that take a broadcast now, in the order of the list. */
export function recipientsOf(
  panes: readonly Pane[],
  chosen: ReadonlySet<string>,
  isHeld: IsHeld,
): readonly Pane[] {
  return panes
    .filter((pane) => chosen.has(pane.id) && leftOutReason(pane, isHeld) === null)
    .slice(0, MAX_RECIPIENTS);
}

export interface Failed {
  readonly id: string;
  readonly name: string;
  readonly reason: string;
}

/** Whether the text may have arrived all the same: the server could not say. */
export const isUnclear = ({ reason }: Failed): boolean =>
  reason.endsWith("delivery_unknown") || reason === "internal error";

/** `<id>: <reason>` by recipient. An id may hold a colon itself, so it is not looked for. */
export function readFailures(
  errors: readonly string[],
  recipients: readonly Pick<Pane, "id" | "name">[],
): readonly Failed[] {
  return errors.map((error) => {
    const pane = recipients.find(({ id }) => error.startsWith(`${id}: `));
    if (pane === undefined) return { id: "", name: "", reason: error };
    return { id: pane.id, name: pane.name, reason: error.slice(pane.id.length + 2) };
  });
}
