/** A machine that may turn out to be one that is watched already. */
export interface Claimant {
  config: { name: string };
  /** Of its machine and its tmux server; "" while nobody knows. */
  server: string;
  /** Under which other name it is watched. */
  twin: string | null;
}

/** Servers of two machines may have the same name. */
export const serverOn = (machine: string, server: string): string => `${server} on ${machine}`;

/** Who else watches the tmux of a host: this machine before all, then whoever is named before it. */
export function twinOf(
  host: Claimant,
  local: { name: string; server(): string },
  before: readonly Claimant[],
): string | null {
  if (local.server() === host.server) return local.name;
  const isTwin = ({ server, twin }: Claimant) => server === host.server && twin === null;
  return before.find(isTwin)?.config.name ?? null;
}

export const sameAs = (twin: string): string => `the same tmux as ${twin}, and watched there`;
