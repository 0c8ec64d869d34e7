import { StartupError } from "../../errors.ts";
import type { Flag, Flags } from "../arguments.ts";
import { findService } from "../claim.ts";
import { SERVICE_FLAGS } from "../commands.ts";
import { stateDirFor } from "../context.ts";
import { printInvitation, requestLink } from "../pair.ts";
import type { Meanwhile } from "../serve.ts";
import { askPerson, CONSENT_TO_ALL } from "./consent.ts";
import { openLan, openTailscale } from "./open.ts";
import { failedOf, type Run, say, sayStopped } from "./run.ts";
import { PhoneService } from "./service.ts";
import { undo } from "./undo.ts";

export const PHONE_FLAGS: readonly Flag[] = [
  ...SERVICE_FLAGS.filter(({ name }) => name === "config" || name === "port"),
  { name: "off", help: "Undo it: no address, no token, no paired device." },
  { name: "yes", alias: "y", help: "Ask nothing before a change." },
  { name: "address", value: "url", help: "Reach it at this address, which leads to the service." },
  { name: "lan", help: "Reach it in the local network, without encryption." },
];

const POLL_MS = 1000;

/** How far it came: a phone has signed in, none has come in time, or something is in the way. */
type Outcome = "paired" | "unused" | "stopped";

/** Starts the service on a command line, with what is done once it listens. */
type Serve = (flags: Flags, meanwhile: Meanwhile) => Promise<number>;

/**
 * `panewatch phone`: 0 once a phone has signed in, 1 where something is still in the way. Where no
 * service runs it is one itself, from then on.
 */
export async function phone(flags: Flags, serve: Serve): Promise<number> {
  const stateDir = stateDirFor(flags);
  if (flags.has("off")) return withService(stateDir, flags, undo);
  const pairing = () => withService(stateDir, flags, (run) => bringUp(run, flags));
  const running = await findService(stateDir);
  if (running !== null && flags.has("port"))
    throw new StartupError(`panewatch runs already (pid ${running.pid}): --port is for a new one`);
  if (running !== null) return (await pairing()) === "paired" ? 0 : 1;
  return serve(flags, async () => {
    if ((await pairing()) === "stopped") {
      say("Nothing runs now; panewatch alone starts it on this machine.");
      return 1;
    }
    say("panewatch runs here until Ctrl-C; panewatch service install then starts it at login.");
    return null;
  });
}

async function withService<T>(
  stateDir: string,
  flags: Flags,
  use: (run: Run) => Promise<T>,
): Promise<T> {
  const service = new PhoneService(stateDir);
  // Says what is missing where no service runs.
  await service.state();
  const target = (await findService(stateDir))?.address;
  if (!target) throw new StartupError(`no panewatch runs with ${stateDir}: start it`);
  const consent = flags.has("yes") ? CONSENT_TO_ALL : askPerson();
  try {
    return await use({ stateDir, service, consent, target });
  } finally {
    consent.close();
  }
}

async function bringUp(run: Run, flags: Flags): Promise<Outcome> {
  const { service, consent } = run;
  const hasLan = flags.has("lan");
  if ((await service.state()).token === "none") {
    const change = "Make a token, so that nobody else can type into your terminals.";
    if (!(await consent.to(change))) return stopped();
    await service.makeToken();
    say("A token was made: panewatch token prints it. Open pages sign in again.");
  }
  const address = flags.get("address");
  if (typeof address === "string") await service.accept(address);
  if (hasLan && !(await openLan(run))) return stopped();
  const failed = failedOf(await service.state());
  const isTaken = failed?.id === "encrypted" && hasLan;
  if (failed !== null && !isTaken && !(await openTailscale(run, failed))) return "stopped";
  return invite(run);
}

/** Shows the code and waits until a phone has signed in by it. */
async function invite({ stateDir, service }: Run): Promise<Outcome> {
  const before = new Set((await service.state()).phones.map(({ id }) => id));
  const link = await requestLink(stateDir);
  if (link === null)
    throw new StartupError("the token was removed meanwhile: panewatch phone again");
  printInvitation(link);
  say("Waiting for the phone; Ctrl-C ends this.");
  while (Date.now() / 1000 < link.expires_at) {
    await Bun.sleep(POLL_MS);
    const joined = (await service.state()).phones.find(({ id }) => !before.has(id));
    if (joined === undefined) continue;
    say(`${joined.name} has signed in.`);
    return "paired";
  }
  say("The code is too old now: panewatch pair shows another.");
  return "unused";
}

function stopped(): Outcome {
  sayStopped();
  return "stopped";
}
