/** The agent that opens the keys of watched machines. */
export const SSH_AGENT = "SSH_AUTH_SOCK";

/** The socket of an agent that is there again after the next login; "" for one of this login alone. */
export function lastingAgent(env: Readonly<Record<string, string | undefined>>): string {
  const socket = env[SSH_AGENT] ?? "";
  const folders = [env.XDG_RUNTIME_DIR, env.HOME].filter((folder) => folder?.startsWith("/"));
  const isOwn = folders.some((folder) => socket.startsWith(`${folder}/`));
  // Newer OpenSSH keeps the sockets of single logins in the home folder.
  return isOwn && !socket.includes("/.ssh/agent/") ? socket : "";
}

export interface AgentFacts {
  platform: string;
  hasHosts: boolean;
  /** Socket of the agent of this shell; "": it has none. */
  agent: string;
  isGiven: boolean;
}

/** Where the keys of this shell are not the service's: what follows, and what to do; else null. */
export function agentFault(facts: AgentFacts): { text: string; remedy: string } | null {
  const { platform, hasHosts, agent, isGiven } = facts;
  // launchd gives each job the agent of the login.
  if (platform === "darwin" || !hasHosts || agent === "" || isGiven) return null;
  return {
    text: `the ssh agent of this shell (${agent}) ends with its login and is not the service's: a machine that needs its keys cannot be watched`,
    remedy: "name a lasting one as IdentityAgent in ~/.ssh/config (docs/hosts.md)",
  };
}
