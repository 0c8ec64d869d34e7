import type { Pane } from "../../model/pane.ts";
import type { Client } from "../../state/client.ts";

export const COPY_LINES = 40;

/** Copies a text and says how it went. */
export function copyText({ browser: { messages } }: Client, text: string): void {
  // Absent on plain HTTP, where the browser has no clipboard for pages.
  const clipboard: Clipboard | undefined = navigator.clipboard;
  const copied = clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"));
  copied.then(
    () => messages.say("Copied"),
    () => messages.alert("The browser did not allow copying."),
  );
}

/** Copies the last lines of a pane. */
export function copyLast(client: Client, pane: Pane): void {
  copyText(client, pane.lines.slice(-COPY_LINES).join("\n"));
}
