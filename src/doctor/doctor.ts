import type { Typed } from "../config/flags.ts";
import { lookAtAddress } from "./address.ts";
import { lookAtAlerts } from "./alerts.ts";
import { lookAtConfig, lookAtVersions } from "./config.ts";
import { readContext } from "./context.ts";
import { lookAtHosts } from "./hosts.ts";
import { lookAtMultiplexer } from "./multiplexer.ts";
import {
  lookAtCreation,
  lookAtImages,
  lookAtNaming,
  lookAtPairing,
  lookAtRuntimes,
  lookAtService,
  lookAtUsage,
} from "./parts.ts";
import { examine, hasFailure, renderReport } from "./report.ts";
import { lookAtState } from "./state.ts";
import type { Topic } from "./topic.ts";
import { lookAtWorkspace } from "./workspace.ts";

/** The report from top to bottom; a new part is one look more. */
const TOPICS: readonly Topic[] = [
  { title: "Versions", looks: [lookAtVersions] },
  { title: "Configuration", looks: [lookAtConfig] },
  { title: "Multiplexer", looks: [lookAtMultiplexer] },
  { title: "Hosts", looks: [lookAtHosts] },
  { title: "State", looks: [lookAtState] },
  { title: "Address", looks: [lookAtAddress] },
  { title: "Runtimes", looks: [lookAtRuntimes] },
  { title: "Alerts", looks: [lookAtAlerts] },
  {
    title: "Optional parts",
    looks: [
      lookAtWorkspace,
      lookAtUsage,
      lookAtCreation,
      lookAtNaming,
      lookAtImages,
      lookAtPairing,
      lookAtService,
    ],
  },
];

/** Checks this machine and prints what it found; 1 when something keeps the service from working. */
export async function doctor(flags: Typed): Promise<number> {
  const sections = await examine(TOPICS, await readContext(flags));
  process.stdout.write(renderReport(sections));
  return hasFailure(sections) ? 1 : 0;
}
