import { homedir } from "node:os";
import { readFlags } from "../config/flags.ts";
import { readSources } from "../config/load.ts";
import { StartupError } from "../errors.ts";
import type { DirectReply } from "../lib/direct-request.ts";
import { createLog } from "../lib/log.ts";
import { renderInvitation } from "../pairing/invitation.ts";
import { PairingLink } from "../protocol/pairing.ts";
import type { Flags } from "./arguments.ts";
import { askService } from "./ask-service.ts";
import { configPathOf } from "./serve.ts";

/** Asks the running service for a pairing link and prints it. */
export async function pair(flags: Flags): Promise<number> {
  const { config, stateDir } = await readSources({
    configPath: configPathOf(flags),
    flags: readFlags(flags),
    home: homedir(),
    log: createLog(),
  });
  const link = await requestLink({ stateDir, token: config["server.token"] });
  const hasColours = process.stdout.isTTY && !process.env.NO_COLOR;
  process.stdout.write(renderInvitation(link, { hasColours }));
  return 0;
}

/** @throws StartupError with what to do about it */
export async function requestLink(options: {
  stateDir: string;
  token: string;
}): Promise<PairingLink> {
  if (options.token === "") throw new StartupError("pairing needs a token: set server.token");
  const { url, reply } = await askService({ ...options, path: "/api/pair/codes" });
  const link = parseLink(reply);
  if (!link) throw new StartupError(`what answers at ${url} cannot pair (${reply.status})`);
  return link;
}

function parseLink({ status, text }: DirectReply): PairingLink | null {
  if (status !== 200) return null;
  try {
    return PairingLink.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // Not JSON: something else listens there.
    return null;
  }
}
