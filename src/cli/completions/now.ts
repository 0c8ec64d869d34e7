import type { Typed } from "../../config/resolve.ts";
import { StartupError } from "../../errors.ts";
import { parseJson } from "../../lib/json.ts";
import { HostsReply } from "../../protocol/hosts.ts";
import { askService } from "../ask-service.ts";
import { stateDirFor } from "../state-dir.ts";
import { promptCode, readPanes } from "../panes/service-panes.ts";

/** What Tab offers now, a line each; nothing where no service answers: there is no place for a reason. */
export async function offered(kind: "panes" | "prompts" | "hosts", flags: Typed): Promise<string> {
  try {
    const names = await (kind === "hosts" ? hosts(flags) : panes(flags, kind));
    return names.map((name) => `${name}\n`).join("");
  } catch (error) {
    if (error instanceof StartupError) return "";
    throw error;
  }
}

async function panes(flags: Typed, kind: "panes" | "prompts"): Promise<readonly string[]> {
  const all = await readPanes(stateDirFor(flags));
  if (kind === "panes") return all.map(({ target }) => target);
  return all.flatMap((pane) => {
    const code = promptCode(pane);
    return code === null ? [] : [`${pane.target}@${code}`];
  });
}

async function hosts(flags: Typed): Promise<readonly string[]> {
  const { reply } = await askService(stateDirFor(flags), { method: "GET", path: "/api/hosts" });
  const all = HostsReply.safeParse(parseJson(reply.text)).data?.hosts ?? [];
  return all.filter(({ kind }) => kind === "ssh").map(({ name }) => name);
}
