import { StartupError } from "../../errors.ts";
import { quoteWord } from "../../lib/quote.ts";
import { run, RunError } from "../../lib/run.ts";
import { say } from "./run.ts";

/** A person may first have to read a page and to consent. */
const TIMEOUT_MS = 10 * 60_000;
const MAX_BYTES = 64 * 1024;
/** What `tailscale serve` prints, and waits for, where its tailnet does not serve yet. */
const CONSENT_PAGE = /(https:\/\/login\.tailscale\.com\/\S+)\s/;

/** Runs Tailscale's command and tells what it asks for; false, with what to do, where it refuses. */
export async function runTailscale(executable: string, args: readonly string[]): Promise<boolean> {
  const words = args.map(quoteWord).join(" ");
  let said = "";
  let hasAsked = false;
  const heard = (bytes: Uint8Array) => {
    said += new TextDecoder().decode(bytes);
    const page = CONSENT_PAGE.exec(said)?.[1];
    if (page === undefined || hasAsked) return;
    hasAsked = true;
    say(`Tailscale asks for your consent, once: open ${page}`);
  };
  const options = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, heard };
  const { code } = await run([executable, ...args], options).catch((error: unknown) => {
    if (!(error instanceof RunError)) throw error;
    throw new StartupError(error.message, { cause: error });
  });
  if (code === 0) return true;
  if (/access denied|permission denied|must be root/i.test(said))
    say(
      "Tailscale wants more rights. Run this once, then panewatch phone again:",
      '  sudo tailscale set --operator="$USER"',
      `Or this alone: sudo tailscale ${words}`,
    );
  else say(`tailscale ${words} failed: ${said.trim().split("\n")[0] || `it ended with ${code}`}`);
  return false;
}
