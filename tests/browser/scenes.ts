import { AGENT_SCENES } from "./agent-scenes.ts";
import type { Scene } from "./scene.ts";
import { TERMINAL_SCENES } from "./terminal-scenes.ts";

/** Every screen and state of the page, once. */
export const SCENES: readonly Scene[] = [...TERMINAL_SCENES, ...AGENT_SCENES];

export function sceneOf(name: string): Scene {
  const scene = SCENES.find((one) => one.name === name);
  if (scene === undefined) throw new Error(`no scene ${name}`);
  return scene;
}
