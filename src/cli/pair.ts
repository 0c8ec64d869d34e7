import type { Typed } from "../config/resolve.ts";
import { printInvitation, requestLink } from "./pairing-link.ts";
import { stateDirFor } from "./state-dir.ts";

/** Asks the running service for a pairing link and prints it; without a token `phone` goes on. */
export async function pair(flags: Typed): Promise<number> {
  const link = await requestLink(stateDirFor(flags));
  if (link === null) return (await import("./phone/phone.ts")).phone(flags);
  printInvitation(link);
  return 0;
}
