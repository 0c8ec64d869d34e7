import {
  commandRisk,
  isStandingGrant,
  type Danger,
  type Risk,
} from "../../../src/protocol/danger.ts";
import type { Preferences } from "../../state/browser/preferences.ts";

/** The switch of each danger. */
const SWITCHES = {
  grant: "askGrant",
  delete: "askDelete",
  force: "askForce",
  root: "askRoot",
  internet: "askInternet",
} as const satisfies Record<Danger, keyof Preferences>;

/** Why this option is asked once more in this browser, or null. `lines`: all that it is about. */
export function riskFor(
  preferences: Preferences,
  label: string,
  lines: readonly string[],
): Risk | null {
  const isAsked = (danger: Danger) => preferences[SWITCHES[danger]];
  const risk = commandRisk(label, lines, isAsked);
  if (risk !== null) return risk;
  return isAsked("grant") && isStandingGrant(label) ? { danger: "grant", command: "" } : null;
}
