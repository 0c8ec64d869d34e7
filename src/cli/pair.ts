import { StartupError } from "../errors.ts";
import { parseJson } from "../lib/json.ts";
import { renderInvitation } from "../pairing/invitation.ts";
import { PairingLink } from "../protocol/pairing.ts";
import type { Flags } from "./arguments.ts";
import { askService } from "./ask-service.ts";
import { stateDirFor } from "./context.ts";

/** Asks the running service for a pairing link and prints it. */
export async function pair(flags: Flags): Promise<number> {
  const link = await requestLink(stateDirFor(flags));
  const hasColours = process.stdout.isTTY && !process.env.NO_COLOR;
  process.stdout.write(renderInvitation(link, { hasColours }));
  return 0;
}

/** @throws StartupError with what to do about it */
export async function requestLink(stateDir: string): Promise<PairingLink> {
  const { url, reply } = await askService(stateDir, { method: "POST", path: "/api/pair/codes" });
  if (reply.status === 503)
    throw new StartupError("pairing needs a token: panewatch phone makes one");
  // Where it is not JSON, something else listens there.
  const link = reply.status === 200 && PairingLink.safeParse(parseJson(reply.text)).data;
  if (!link) throw new StartupError(`what answers at ${url} cannot pair (${reply.status})`);
  return link;
}
