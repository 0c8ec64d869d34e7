import type { Flags } from "../../config/resolve.ts";
import { StartupError } from "../../errors.ts";
import { urlHost } from "../../lib/address.ts";
import { run } from "../../lib/run.ts";
import { quoteWord } from "../../lib/words.ts";
import { interfaceAddresses } from "../../pairing/links.ts";
import { findTailscale, readTailscale } from "../../pairing/tailscale.ts";
import type { PhoneCheck, PhoneState } from "../../protocol/access.ts";
import { changePhone, failedOf, type PhoneRun, phoneState, say, StoppedError } from "./run.ts";

const AGAIN = "Then run panewatch phone again.";
const OTHER_WAYS = [
  `${AGAIN} Other ways, such as cloudflared or a proxy of your own, lead to an address over HTTPS:`,
  "  panewatch phone --address https://panes.example",
];

const SETTLE_MS = 6000;
const POLL_MS = 500;

/**
 * Serves the page to the person's own devices.
 * @throws StoppedError where the person declines, or has to act first
 */
export async function openTailscale(run: PhoneRun, failed: PhoneCheck): Promise<void> {
  const { flags, target, agree } = run;
  const facts = await readTailscale(target);
  if (facts.state !== "on") {
    const next = failed.command === null ? OTHER_WAYS : [`  ${failed.command}`, AGAIN];
    throw new StoppedError([`${failed.title}. ${failed.sentence}`, ...next]);
  }
  const command = ["tailscale", ...facts.serve].join(" ");
  await agree(`Run ${command}, so that your own devices reach it at ${facts.url}.`);
  await runTailscale(facts.serve);
  const after = failedOf(await stateAfterChange(flags));
  if (after === null) return;
  throw new StoppedError([
    `${after.title}: ${command} has run, and Tailscale does not serve it yet.`,
    "Once you have consented to what it asks for, run panewatch phone again.",
  ]);
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

/** `--lan`: serves it in the local network without encryption. @throws StoppedError */
export async function openLan({ flags, target, agree }: PhoneRun): Promise<void> {
  const [host] = interfaceAddresses();
  if (host === undefined) throw new StartupError("this machine is in no network");
  const address = `http://${urlHost(host)}:${target.port}`;
  say("Without encryption, whoever listens in that network can read what you type, and the token.");
  await agree(`Open ${address} to the local network all the same.`);
  await changePhone(flags, "POST", "addresses", { address });
}

/** In reverse order: the token goes once no address leads here any more. @throws StoppedError */
export async function undo({ flags, target, agree }: PhoneRun): Promise<void> {
  const facts = await readTailscale(target);
  if (facts.state === "on" && facts.served !== null) {
    const { off, url } = facts.served;
    await agree(`Run tailscale ${off.join(" ")}, so that ${url} leads here no more.`);
    await runTailscale(off);
  }
  const state = await phoneState(flags);
  const { addresses, token, phones } = state;
  if (addresses.length > 0) {
    await agree(`Forget ${addresses.join(", ")}.`);
    await changePhone(flags, "DELETE", "addresses");
  }
  if (token === "kept" || phones.length > 0) {
    await agree(removalOf(state));
    await changePhone(flags, "DELETE", "token");
  }
  say(
    token === "configured"
      ? "Undone. The token of the configuration stays."
      : "Undone: only this machine reaches panewatch.",
  );
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

/** Prints what Tailscale asks for. @throws StoppedError with a remedy where it refuses */
async function runTailscale(args: readonly string[]): Promise<void> {
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
  const { code } = await run([findTailscale() ?? "tailscale", ...args], options);
  if (code === 0) return;
  if (/access denied|permission denied|must be root/i.test(output))
    throw new StoppedError([
      "Tailscale wants more rights. Run this once, then panewatch phone again:",
      '  sudo tailscale set --operator="$USER"',
      `Or this alone: sudo tailscale ${words}`,
    ]);
  const why = output.trim().split("\n")[0] || `it ended with ${code}`;
  throw new StoppedError([`tailscale ${words} failed: ${why}`]);
}
