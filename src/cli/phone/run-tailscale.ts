import { StartupError } from "../../errors.ts";
import { quoteWord } from "../../lib/quote.ts";
import { run, RunError } from "../../lib/run.ts";
import { say } from "./run.ts";

/** A person may first have to read a page and to consent. */
const TIMEOUT_MS = 10 * 60_000;
const MAX_BYTES = 64 * 1024;
/** What `tailscale serve` prints, and waits for, where its tailnet does not serve yet. */
const CONSENT_PAGE = /(https:\/\/login\.tailscale\.com\/\S+)\s/;

/**
 * Runs Tailscale's command and tells what it asks for.
 * @throws StartupError with the one command that needs more rights, or with what it said
 */
export async function runTailscale(executable: string, args: readonly string[]): Promise<void> {
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
  if (code === 0) return;
  if (/access denied|permission denied|must be root/i.test(said))
    throw new StartupError(
      `Tailscale wants more rights. Run this, then panewatch phone again: sudo tailscale ${words}`,
    );
  const why = said.trim().split("\n")[0] || `it ended with ${code}`;
  throw new StartupError(`tailscale ${words} failed: ${why}`);
}
