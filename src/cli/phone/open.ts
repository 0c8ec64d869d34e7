import { StartupError } from "../../errors.ts";
import { urlHost } from "../../lib/url-host.ts";
import { interfaceAddresses } from "../../pairing/interfaces.ts";
import { findTailscale, lookAtTailscale, upCommand } from "../../pairing/tailscale.ts";
import type { PhoneCheck, PhoneState } from "../../protocol/phone.ts";
import { runTailscale } from "./run-tailscale.ts";
import { failedOf, type Run, say, sayStopped } from "./run.ts";
import type { PhoneService } from "./service.ts";

const OTHER_WAYS = [
  "Any address with HTTPS will do. The simplest way is Tailscale, on this machine and on the phone:",
  "  https://tailscale.com/download, then panewatch phone again",
  "Other ways, such as cloudflared or a proxy of your own, lead to an address that is named here:",
  "  panewatch phone --address https://panes.example",
];

const SETTLE_MS = 6000;
const POLL_MS = 250;

/** Brings the service to the person's own devices; false where something is left to the person. */
export async function openTailscale(run: Run, failed: PhoneCheck): Promise<boolean> {
  const { service, consent, target } = run;
  const executable = findTailscale();
  const facts = await lookAtTailscale(target);
  if (executable === null || facts.state === "none") {
    say(`${failed.title}.`, ...OTHER_WAYS);
    return false;
  }
  if (facts.state === "off") {
    const how = facts.hasDaemon ? "is off" : "does not run";
    const first = `Tailscale is installed, and ${how}. Run this, then panewatch phone again:`;
    say(first, `  ${upCommand(facts)}`);
    return false;
  }
  const command = ["tailscale", ...facts.serve].join(" ");
  if (!(await consent.to(`Run ${command}, so that your own devices reach it at ${facts.url}.`))) {
    sayStopped();
    return false;
  }
  if (!(await runTailscale(executable, facts.serve))) return false;
  const after = failedOf(await settled(service));
  if (after !== null)
    say(
      `${after.title}: ${command} has run, and Tailscale does not serve it yet.`,
      "Once you have consented to what it asks for, run panewatch phone again.",
    );
  return after === null;
}

/** The service's last look may be of the time before the change. */
async function settled(service: PhoneService): Promise<PhoneState> {
  const deadline = performance.now() + SETTLE_MS;
  for (;;) {
    const state = await service.state();
    if (failedOf(state) === null || performance.now() > deadline) return state;
    await Bun.sleep(POLL_MS);
  }
}

/** `--lan`: opens it to the local network without encryption; false where the person does not. */
export async function openLan({ service, consent, target }: Run): Promise<boolean> {
  const [host] = interfaceAddresses();
  if (host === undefined) throw new StartupError("this machine is in no network");
  const address = `http://${urlHost(host)}:${target.port}`;
  say("Without encryption, whoever listens in that network can read what you type, and the token.");
  if (!(await consent.to(`Open ${address} to the local network all the same.`))) return false;
  await service.accept(address);
  return true;
}
