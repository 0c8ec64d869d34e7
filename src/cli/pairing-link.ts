import { StartupError } from "../errors.ts";
import { parseJson } from "../lib/json.ts";
import { renderInvitation } from "../pairing/qr.ts";
import { NEEDS_TOKEN } from "../pairing/pairing.ts";
import { PairingLink } from "../protocol/pairing.ts";
import { askService } from "./ask-service.ts";

export function printInvitation(link: PairingLink): void {
  const hasColours = process.stdout.isTTY && !process.env.NO_COLOR;
  process.stdout.write(renderInvitation(link, { hasColours }));
}

/**
 * Null where nobody needs a token, and so no code.
 * @throws StartupError with what to do about it
 */
export async function requestLink(stateDir: string): Promise<PairingLink | null> {
  const { url, reply } = await askService(stateDir, { method: "POST", path: "/api/pair/codes" });
  if (reply.status === 503 && reply.text.includes(NEEDS_TOKEN)) return null;
  // Where it is not JSON, something else listens there.
  const link = reply.status === 200 && PairingLink.safeParse(parseJson(reply.text)).data;
  if (!link) throw new StartupError(`what answers at ${url} cannot pair (${reply.status})`);
  return link;
}
