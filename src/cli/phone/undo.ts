import { findTailscale, lookAtTailscale } from "../../pairing/tailscale.ts";
import type { PhoneState } from "../../protocol/phone.ts";
import { runTailscale } from "./run-tailscale.ts";
import { type Run, say, sayStopped } from "./run.ts";

/** Last thing first: no address leads here any more while the token goes. */
export async function undo(run: Run): Promise<number> {
  for (const step of [serveOff, forgetAddresses, removeToken])
    if (!(await step(run))) {
      sayStopped();
      return 1;
    }
  const { token } = await run.service.state();
  say(
    token === "configured"
      ? "Undone. The token of the configuration stays."
      : "Undone: only this machine reaches panewatch.",
  );
  return 0;
}

async function serveOff({ consent, target }: Run): Promise<boolean> {
  const executable = findTailscale();
  const facts = await lookAtTailscale(target);
  if (executable === null || facts.state !== "on" || facts.served === null) return true;
  const { off, url } = facts.served;
  const command = `tailscale ${off.join(" ")}`;
  if (!(await consent.to(`Run ${command}, so that ${url} leads here no more.`))) return false;
  return runTailscale(executable, off);
}

async function forgetAddresses({ service, consent }: Run): Promise<boolean> {
  const { addresses } = await service.state();
  if (addresses.length === 0) return true;
  if (!(await consent.to(`Forget ${addresses.join(", ")}.`))) return false;
  await service.forgetAddresses();
  return true;
}

async function removeToken({ service, consent }: Run): Promise<boolean> {
  const state = await service.state();
  if (state.token !== "kept" && state.phones.length === 0) return true;
  if (!(await consent.to(removalOf(state)))) return false;
  await service.removeToken();
  return true;
}

function removalOf({ token, phones: { length } }: PhoneState): string {
  const devices = `${length} paired device${length === 1 ? "" : "s"}`;
  if (token !== "kept") return `Sign out ${devices}.`;
  return length === 0 ? "Remove the token." : `Remove the token and sign out ${devices}.`;
}
