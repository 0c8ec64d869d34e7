import { useClient } from "../../state/client.ts";
import { common } from "../../words/common.ts";

/** Copies a text and says how it went. */
export function useCopyText(): (text: string) => void {
  const { messages } = useClient();
  return (text) => {
    // Absent on plain HTTP, where the browser has no clipboard for pages.
    const clipboard: Clipboard | undefined = navigator.clipboard;
    const copied = clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"));
    copied.then(
      () => messages.say(common.copied),
      () => messages.alert(common.copyFailed),
    );
  };
}
