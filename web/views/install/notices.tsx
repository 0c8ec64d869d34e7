import { useEffect } from "preact/hooks";
import { useBrowser } from "../../state/client.ts";
import { install as words } from "../../words/install.ts";

/** Says once that a new version is ready, and once that the page can be installed. Draws nothing. */
export function ShellNotices(): null {
  const { install, messages, router, shell } = useBrowser();
  const hasUpdate = shell.hasUpdate.value;
  const isHintDue = install.isHintDue.value;
  useEffect(() => {
    if (!hasUpdate) return;
    const action = { label: words.reload, run: () => void shell.applyUpdate() };
    messages.say(words.newVersion, { action, isSticky: true });
  }, [hasUpdate]);
  useEffect(() => {
    if (!isHintDue) return;
    install.hintGiven();
    const hasDialog = install.way.value === "dialog";
    const run = () => {
      messages.dismiss();
      if (hasDialog) void install.ask();
      else router.show("settings");
    };
    messages.say(words.hint, { action: { label: hasDialog ? words.install : words.how, run } });
  }, [isHintDue]);
  return null;
}
