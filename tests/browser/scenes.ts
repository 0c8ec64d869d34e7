import { BINDING_SCENES } from "./binding-scenes.ts";
import { CHANGES_SCENES } from "./changes-scenes.ts";
import { CHAT_SCENES } from "./chat-scenes.ts";
import { HOSTS_SCENES } from "./hosts-scenes.ts";
import { PARKED_SCENES } from "./parked-scenes.ts";
import { WAITING_SCENES } from "./waiting-scenes.ts";
import { SAID_SCENES } from "./said-scenes.ts";
import { REVIEW_SCENES } from "./review-scenes.ts";
import type { Scene } from "./scene.ts";
import { TERMINAL_SCENES } from "./terminal-scenes.ts";

/** Every screen and state of the page, once. */
export const SCENES: readonly Scene[] = [
  ...TERMINAL_SCENES,
  ...REVIEW_SCENES,
  ...CHAT_SCENES,
  ...BINDING_SCENES,
  ...HOSTS_SCENES,
  ...PARKED_SCENES,
  ...WAITING_SCENES,
  ...CHANGES_SCENES,
  ...SAID_SCENES,
];
