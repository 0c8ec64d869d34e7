import type { Flags } from "../../config/resolve.ts";
import { StartupError } from "../../errors.ts";
import { urlHost } from "../../lib/address.ts";
import { run, RunError } from "../../lib/run.ts";
import { quoteWord } from "../../lib/words.ts";
import { interfaceAddresses } from "../../pairing/links.ts";
import { findTailscale, readTailscale, upCommand } from "../../pairing/tailscale.ts";
import type { PhoneCheck, PhoneState } from "../../protocol/access.ts";
import { changePhone, failedOf, type PhoneRun, phoneState, say, sayStopped } from "./run.ts";

const OTHER_WAYS = [
  "Any address with HTTPS will do. The simplest way is Tailscale, on this machine and on the phone:",
  "  https://tailscale.com/download, then panewatch phone again",
  "Other ways, such as cloudflared or a proxy of your own, lead to an address that is named here:",
  "  panewatch phone --address https://panes.example",
];

const SETTLE_MS = 6000;
const POLL_MS = 500;

/** Serves the page to the person's own devices; false where the person has to act first. */
export async function openTailscale(run: PhoneRun, failed: PhoneCheck): Promise<boolean> {
  const { flags, consent, target } = run;
  const executable = findTailscale();
  const facts = await readTailscale(target);
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
  const after = failedOf(await stateAfterChange(flags));
  if (after !== null)
    say(
      `${after.title}: ${command} has run, and Tailscale does not serve it yet.`,
      "Once you have consented to what it asks for, run panewatch phone again.",
    );
  return after === null;
}

/** Waits: Tailscale may need a moment. The service runs it twice for each state. */
async function stateAfterChange(flags: Flags): Promise<PhoneState> {
  const deadline = performance.now() + SETTLE_MS;
  for (;;) {
    const state = await phoneState(flags);
    if (failedOf(state) === null || performance.now() > deadline) return state;
    await Bun.sleep(POLL_MS);
  }
}

/** `--lan`: serves it in the local network without encryption; false where the person declines. */
export async function openLan(run: PhoneRun): Promise<boolean> {
  const { consent, target } = run;
  const [host] = interfaceAddresses();
  if (host === undefined) throw new StartupError("this machine is in no network");
  const address = `http://${urlHost(host)}:${target.port}`;
  say("Without encryption, whoever listens in that network can read what you type, and the token.");
  if (!(await consent.to(`Open ${address} to the local network all the same.`))) return false;
  await changePhone(run, "POST", "addresses", { address });
  return true;
}

/** In reverse order: the token goes once no address leads here any more. */
export async function undo(run: PhoneRun): Promise<number> {
  for (const step of [serveOff, forgetAddresses, removeToken])
    if (!(await step(run))) {
      sayStopped();
      return 1;
    }
  const { token } = await phoneState(run.flags);
  say(
    token === "configured"
      ? "Undone. The token of the configuration stays."
      : "Undone: only this machine reaches panewatch.",
  );
  return 0;
}

async function serveOff({ consent, target }: PhoneRun): Promise<boolean> {
  const executable = findTailscale();
  const facts = await readTailscale(target);
  if (executable === null || facts.state !== "on" || facts.served === null) return true;
  const { off, url } = facts.served;
  const command = `tailscale ${off.join(" ")}`;
  if (!(await consent.to(`Run ${command}, so that ${url} leads here no more.`))) return false;
  return runTailscale(executable, off);
}

async function forgetAddresses(run: PhoneRun): Promise<boolean> {
  const { addresses } = await phoneState(run.flags);
  if (addresses.length === 0) return true;
  if (!(await run.consent.to(`Forget ${addresses.join(", ")}.`))) return false;
  await changePhone(run, "DELETE", "addresses");
  return true;
}

async function removeToken(run: PhoneRun): Promise<boolean> {
  const state = await phoneState(run.flags);
  if (state.token !== "kept" && state.phones.length === 0) return true;
  if (!(await run.consent.to(removalOf(state)))) return false;
  await changePhone(run, "DELETE", "token");
  return true;
}

function removalOf({ token, phones: { length } }: PhoneState): string {
  const devices = `${length} paired device${length === 1 ? "" : "s"}`;
  if (token !== "kept") return `Sign out ${devices}.`;
  return length === 0 ? "Remove the token." : `Remove the token and sign out ${devices}.`;
}

/** The person may have to read a page and consent. */
const TIMEOUT_MS = 10 * 60_000;
const MAX_BYTES = 64 * 1024;
/** Where its tailnet does not serve yet, `tailscale serve` prints this address and waits. */
const CONSENT_PAGE = /(https:\/\/login\.tailscale\.com\/\S+)\s/;

/** Prints what Tailscale asks for; false, with a remedy, where it refuses. */
async function runTailscale(executable: string, args: readonly string[]): Promise<boolean> {
  const words = args.map(quoteWord).join(" ");
  let output = "";
  let hasAsked = false;
  const onOutput = (bytes: Uint8Array) => {
    output += new TextDecoder().decode(bytes);
    const page = CONSENT_PAGE.exec(output)?.[1];
    if (page === undefined || hasAsked) return;
    hasAsked = true;
    say(`Tailscale asks for your consent, once: open ${page}`);
  };
  const options = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, onOutput };
  const { code } = await run([executable, ...args], options).catch((error: unknown) => {
    if (!(error instanceof RunError)) throw error;
    throw new StartupError(error.message, { cause: error });
  });
  if (code === 0) return true;
  if (/access denied|permission denied|must be root/i.test(output))
    say(
      "Tailscale wants more rights. Run this once, then panewatch phone again:",
      '  sudo tailscale set --operator="$USER"',
      `Or this alone: sudo tailscale ${words}`,
    );
  else say(`tailscale ${words} failed: ${output.trim().split("\n")[0] || `it ended with ${code}`}`);
  return false;
}
