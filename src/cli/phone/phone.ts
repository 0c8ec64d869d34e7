import { originFault } from "../../config/checks.ts";
import { StartupError } from "../../errors.ts";
import type { PhoneState } from "../../protocol/access.ts";
import type { Flags } from "../../config/resolve.ts";
import { stateDirFor } from "../../config/state-dir.ts";
import { findService } from "../../store/state-lock.ts";
import { requireService } from "../ask-service.ts";
import { askPerson, CONSENT_TO_ALL } from "./consent.ts";
import { openLan, openTailscale, undo } from "./open.ts";
import {
  changePhone,
  failedOf,
  type PhoneRun,
  phoneState,
  printInvitation,
  requestGrants,
  requestLink,
  say,
  StoppedError,
} from "./run.ts";

const POLL_MS = 1000;

/**
 * `panewatch phone`: 0 once a phone has signed in, 1 where a step is left to the person. Where no
 * service runs it becomes the service.
 */
export async function phone(flags: Flags): Promise<number> {
  requireAddress(flags);
  if (flags.off) return (await inSteps(flags, undo)) === "stopped" ? 1 : 0;
  const pairing = () => inSteps(flags, bringUp);
  const running = await findService(stateDirFor(flags));
  if (running !== null && flags.port !== undefined)
    throw new StartupError(`panewatch runs already (pid ${running.pid}): --port is for a new one`);
  if (running !== null) return (await pairing()) === "paired" ? 0 : 1;
  const meanwhile = async () => {
    if ((await pairing()) === "stopped") {
      say("Nothing runs now; panewatch alone starts it on this machine.");
      return 1;
    }
    say("panewatch runs here until Ctrl-C; panewatch service install then starts it at login.");
    return null;
  };
  return (await import("../serve.ts")).serve(flags, { meanwhile });
}

/** `panewatch pair`: prints a code that lets a phone in; without a token it runs `phone`. */
export async function pair(flags: Flags): Promise<number> {
  if ((await phoneState(flags)).token === "none") return phone(flags);
  printInvitation(await requestLink(flags));
  return 0;
}

async function inSteps<T>(
  flags: Flags,
  steps: (run: PhoneRun) => Promise<T>,
): Promise<T | "stopped"> {
  const { address: target } = await requireService(flags);
  const inAdvance = `panewatch phone ${flags.off ? "--off " : ""}--yes`;
  using consent = flags.yes ? CONSENT_TO_ALL : askPerson("[Y/n]", inAdvance);
  const agree = async (change: string) => {
    if (!(await consent.to(change))) throw new StoppedError(["Stopped: the rest is as it was."]);
  };
  try {
    return await steps({ flags, target, agree });
  } catch (error) {
    if (!(error instanceof StoppedError)) throw error;
    say(...error.lines);
    return "stopped";
  }
}

/** "unused": no phone has signed in in time. */
async function bringUp(run: PhoneRun): Promise<"paired" | "unused"> {
  const { flags, agree } = run;
  const { address, lan } = flags;
  const before = await phoneState(flags);
  const renew = before.token !== "none";
  if (!renew || flags["new-token"]) {
    await agree(
      renew
        ? "Make another token: every device and page signs in again."
        : "Make a token, so that nobody else can type into your terminals.",
    );
    await changePhone(flags, "POST", "token", { renew });
    say("A token was made: panewatch token prints it. Open pages sign in again.");
  } else if (before.token === "kept") say(tokenOrigin(before), "--new-token makes another.");
  if (typeof address === "string") await changePhone(flags, "POST", "addresses", { address });
  if (lan) await openLan(run);
  const failed = failedOf(await phoneState(flags));
  const isTaken = failed?.id === "encrypted" && lan;
  if (failed !== null && !isTaken) await openTailscale(run, failed);
  return invite(flags);
}

async function invite(flags: Flags): Promise<"paired" | "unused"> {
  const before = new Set((await requestGrants(flags)).map(({ id }) => id));
  const link = await requestLink(flags);
  printInvitation(link);
  say("Waiting for the phone; Ctrl-C ends this.");
  while (Date.now() / 1000 < link.expires_at) {
    await Bun.sleep(POLL_MS);
    const joined = (await requestGrants(flags)).find(({ id }) => !before.has(id));
    if (joined === undefined) continue;
    say(`${joined.name} has signed in.`);
    return "paired";
  }
  say("The code is too old now: panewatch pair shows another.");
  return "unused";
}

/** Call it before any change. @throws StartupError */
function requireAddress({ address, lan }: Flags): void {
  if (typeof address !== "string") return;
  const fault = originFault(address);
  if (fault !== null) throw new StartupError(`--address ${address}: it ${fault}`);
  if (address.startsWith("http:") && lan !== true)
    throw new StartupError(`--address ${address} is not encrypted: https, or --lan with it`);
}

/** Tells who made the token: a planted one must not go unnoticed. */
function tokenOrigin({ token_made: made }: PhoneState): string {
  if (!made) return "The token that was made earlier goes on.";
  const who = made.by === "local" ? "a command of this machine" : "a page of this machine";
  return `The token goes on that ${who} made on ${new Date(made.at * 1000).toLocaleString()}.`;
}
