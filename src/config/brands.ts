// Maps, not objects: the words come from a file, and "constructor" must find nothing.

/** What a person types for a provider, in files and flags only (the API speaks contract ids). */
export const PROVIDER_BRANDS: ReadonlyMap<string, "mux" | "wsp"> = new Map([
  ["tmux", "mux"],
  ["herdr", "wsp"],
]);

/** YAML path as a brand spells it -> its declared path; a section stands for all below it. */
export const PATH_BRANDS: ReadonlyMap<string, string> = new Map([
  ["tmux", "mux"],
  ["terminal.herdr", "terminal.wsp"],
  ["agents.claude_home", "agents.agent_a_home"],
  ["agents.codex_home", "agents.agent_b_home"],
]);
