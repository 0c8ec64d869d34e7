import type { ConfigReply } from "../../src/protocol/config.ts";

/** What this page can do with the agent workspace of a server. */
export type WorkspaceFacts =
  /** On, and of a version that this page knows. */
  | { readonly step: "on"; readonly hasReview: boolean }
  /** The server can do it, and it is switched off. */
  | { readonly step: "off" }
  /** Switched on, and about to run: a server that has only just begun opens its store. */
  | { readonly step: "starting" }
  /** It cannot be switched on, or does not run although it is: with the server's reason. */
  | { readonly step: "unavailable"; readonly reason: string }
  /** This server has none, or one of a version that this page does not know. */
  | { readonly step: "none" };

const VERSION = 1;

/** A capability without a version is version 1; an unknown one is as good as none. */
const isKnown = (capability: object): boolean => {
  const version: unknown = Reflect.get(capability, "version") ?? VERSION;
  return version === VERSION;
};

export function workspaceOf(config: ConfigReply | null): WorkspaceFacts {
  const capabilities = config?._info.capabilities;
  const context = capabilities?.agent_context_v1;
  if (!config || !context || !isKnown(context)) return { step: "none" };
  const wanted = config.experimental_agent_workspace_enabled;
  if (!wanted || !context.enabled) {
    const reason = context.degraded_reason ?? "";
    if (reason !== "") return { step: "unavailable", reason };
    return { step: wanted ? "starting" : "off" };
  }
  if (context.mode !== "log_observer") return { step: "none" };
  const review = capabilities.agent_review_v1;
  return { step: "on", hasReview: review?.enabled === true && isKnown(review) };
}
