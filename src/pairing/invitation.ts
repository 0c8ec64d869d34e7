import type { PairingLink } from "../protocol/pairing.ts";
import { qrMatrix, renderTerminal } from "./qr.ts";

/** What `panewatch pair` prints. */
export function renderInvitation(link: PairingLink, terminal: { hasColours: boolean }): string {
  const matrix = qrMatrix(link.url);
  const until = new Date(link.expires_at * 1000).toTimeString().slice(0, 5);
  const lines = [
    "Point a phone's camera at this, or open the link there:",
    "",
    ...(matrix ? [renderTerminal(matrix, terminal.hasColours)] : []),
    link.url,
    ...link.other_urls.map((url) => `  or ${url}`),
    "",
    `It works once, until ${until}. Or open ${new URL(link.url).origin} and type ${link.short_code}.`,
    ...warnings(link),
  ];
  return `${lines.join("\n")}\n`;
}

function warnings({ url, is_local }: PairingLink): string[] {
  if (is_local) return ["Only this machine can open it: panewatch phone finds a way."];
  return url.startsWith("https:")
    ? []
    : ["The connection is not encrypted: use it only in a network that you trust."];
}
