import type { Client } from "../../state/client.ts";

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
