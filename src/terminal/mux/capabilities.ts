import { ALLOWED_KEYS } from "../../protocol/input.ts";
import type { PaneCapabilities } from "../../protocol/pane.ts";

/** What can be done with any tmux pane; one that was created here can be closed too. */
export const MUX_CAPABILITIES: PaneCapabilities = {
  capture: true,
  input: "legacy",
  literal_text: true,
  menu_select: true,
  keys: [...ALLOWED_KEYS],
  broadcast: true,
  create: true,
  delete: false,
  native_agent_state: false,
};

export const CREATED_CAPABILITIES: PaneCapabilities = { ...MUX_CAPABILITIES, delete: true };
