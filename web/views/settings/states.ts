import { VERSION } from "../../../src/protocol/version.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Notifications } from "../../state/server/notifications.ts";
import { common } from "../../words/common.ts";
import { settings as words } from "../../words/settings.ts";
import type { FirstPage } from "./names.ts";

/** What stands below the name of each page of the first level: how it is set now. */
export function useStates(): Readonly<Record<FirstPage, string>> {
  const { config } = useServer();
  const notifications = usePart(Notifications);
  const { device, preferences } = useBrowser();
  const { theme, destination, answerWith, terminalSize, wrap } = preferences.current.value;
  const server = config.current.value;
  const info = server?._info;
  const agents = info?.capabilities.agent_context_v1;
  const kind = info?.capabilities.terminal_provider_v1?.provider ?? "";
  const provider = config.labels.value[kind] ?? kind;
  const isOn = server?.experimental_agent_workspace_enabled === true;
  return {
    "settings-phone": config.has("web_push_v1")
      ? words.phoneState(device.id.value !== null, notifications.others.value.length)
      : words.phoneNoPush,
    "settings-answering": words.answerModes[answerWith],
    "settings-look": words.lookState(words.themes[theme], common.tabs[destination]),
    "settings-terminal": words.terminalState(terminalSize, wrap),
    "settings-workspace": isOn
      ? words.workspaceState(agents?.observed?.sessions ?? 0, agents?.retention_days ?? 0)
      : words.off,
    "settings-server": words.serverState(info?.host ?? "", VERSION, provider),
  };
}
