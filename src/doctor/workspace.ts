import { stat } from "node:fs/promises";
import { join } from "node:path";
import { AgentHome } from "../agents/logs/homes.ts";
import { AGENT_STORE_FILE, readStoreFacts, type StoreReport } from "../agents/store/store-file.ts";
import { LABELS } from "../detect/agents.ts";
import { type Check, type DoctorContext, fail, ok, warn } from "./topic.ts";
import { systemClock } from "../lib/clock.ts";
import { expandPath } from "../lib/inside.ts";
import { AgentRuntime } from "../protocol/agents.ts";

const PROOFS: Readonly<Record<string, string>> = {
  process: "its own process says so",
  screen: "its words stand on that screen alone",
  alone: "there is no other",
  hand: "bound by hand",
};

export async function* examineWorkspace(context: DoctorContext): AsyncGenerator<Check, void> {
  const isOn = context.config.experimental_agent_workspace_enabled;
  yield ok(`agent workspace: ${isOn ? "on" : "off"}`);
  // While it is off, no file of an agent is touched, not even here.
  if (isOn) for (const id of AgentRuntime.options) yield homeCheck(id, await homeOf(context, id));
  const path = join(context.stateDir, AGENT_STORE_FILE);
  const stats = await stat(path).catch(() => null);
  if (stats) yield* storeChecks(path, stats.size, readStoreFacts(path));
}

async function homeOf({ config }: DoctorContext, runtime: AgentRuntime) {
  const configured = config[`agents.${runtime}_home`];
  const path = expandPath(configured) ?? configured;
  const home = new AgentHome({ path, clock: systemClock });
  const logs = (await home.scan()).length;
  return { path, state: home.state, logs };
}

export function homeCheck(
  runtime: AgentRuntime,
  { path, state, logs }: Awaited<ReturnType<typeof homeOf>>,
): Check {
  const home = `agent workspace: ${LABELS[runtime] ?? runtime}: ${path}`;
  const key = `set agents.${runtime}_home`;
  switch (state) {
    case "ok":
      return ok(`${home}, ${logs} logs`);
    case "missing":
      return ok(`${home} does not exist; it is read once it does`);
    case "foreign":
      return warn(`${home} belongs to another user and is not read`, key);
    case "unreadable":
      return warn(`${home} cannot be read`, `make it readable, or ${key}`);
  }
}

export function storeChecks(path: string, bytes: number, look: StoreReport): Check[] {
  if ("failure" in look) return [fail(`agent workspace: ${look.failure}`, "see docs/agents.md")];
  if (look.version > look.known)
    return [
      fail(
        `agent workspace: ${path} has version ${look.version}, this program knows ${look.known}`,
        "start the newer panewatch that wrote it, or move the file away",
      ),
    ];
  const { sessions, messages, version } = look;
  const size = `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
  const content = `${sessions} sessions, ${messages} messages, ${size}, version ${version}`;
  return [
    ok(`agent workspace: ${path}: ${content}`),
    ...look.bound.map(({ runtime, target, association, source }) =>
      ok(`${target}: ${LABELS[runtime] ?? runtime}, ${association}: ${PROOFS[source] ?? source}`),
    ),
  ];
}
