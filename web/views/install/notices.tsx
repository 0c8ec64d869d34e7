import { useEffect } from "preact/hooks";
import { useBrowser } from "../../state/client.ts";

/** Says once that a new version is ready, and once that the page can be installed. Draws nothing. */
export function ShellNotices(): null {
  const { install, messages, router, shell } = useBrowser();
  const hasUpdate = shell.hasUpdate.value;
  const isHintDue = install.isHintDue.value;
  useEffect(() => {
    if (!hasUpdate) return;
    const action = { label: "Reload", run: () => void shell.applyUpdate() };
    messages.say("A new version is ready.", { action, isSticky: true });
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
    messages.say("panewatch can stand on your home screen.", {
      action: { label: hasDialog ? "Install" : "How", run },
    });
  }, [isHintDue]);
  return null;
}
