/** Which part answers it; a part that is absent says so in its own way. */
type Part = "core" | "agents" | "optional";

interface Endpoint {
  path: string;
  methods: readonly string[];
  part: Part;
}

const one = (part: Part, path: string, ...methods: string[]): Endpoint => ({
  part,
  path,
  methods: methods.includes("GET") ? [...methods, "HEAD"] : methods,
});

/**
 * Every path of the contract, also those of parts that do not run here: a wrong method is answered
 * with the right ones, and an absent part with 404 (the agent bundle: 503).
 */
export const ENDPOINTS: readonly Endpoint[] = [
  one("core", "/api/state", "GET"),
  one("core", "/api/key", "POST"),
  one("core", "/api/text", "POST"),
  one("core", "/api/select", "POST"),
  one("core", "/api/broadcast", "POST"),
  one("core", "/api/star", "POST"),
  one("core", "/api/explain", "POST"),
  one("core", "/api/config", "GET", "PATCH"),
  one("core", "/api/sessions", "GET"),
  one("core", "/api/sessions/kill", "POST"),

  one("optional", "/api/input", "POST"),
  one("optional", "/api/images", "POST"),
  one("optional", "/api/mux/creation", "GET"),
  one("optional", "/api/mux/directories", "GET"),
  one("optional", "/api/mux/create", "POST"),
  one("optional", "/api/usage", "GET"),
  one("optional", "/api/usage/history", "GET"),
  one("optional", "/api/usage/refresh", "POST"),
  one("optional", "/api/pair", "POST"),
  one("optional", "/api/pair/codes", "POST"),
  one("optional", "/api/push/register", "POST"),
  one("optional", "/api/push/unregister", "POST"),

  one("agents", "/api/agents", "GET"),
  one("agents", "/api/agents/:id", "GET"),
  one("agents", "/api/agents/:id/resume", "GET"),
  one("agents", "/api/agents/:id/visit", "PUT"),
  one("agents", "/api/agents/:id/timeline", "GET"),
  one("agents", "/api/agents/:id/messages", "GET", "POST"),
  one("agents", "/api/agents/:id/binding", "PUT", "DELETE"),
  one("agents", "/api/agents/:id/history", "DELETE"),
  one("agents", "/api/agents/:id/review", "PUT"),
  one("agents", "/api/timeline", "GET"),
  one("agents", "/api/decisions", "GET"),
  one("agents", "/api/decisions/:id", "GET"),
  one("agents", "/api/decisions/:id/reply", "POST"),
  one("agents", "/api/review", "GET"),
  one("agents", "/api/review/settings", "PATCH"),
];

export function findEndpoint(path: string): Endpoint | null {
  const parts = path.split("/");
  return ENDPOINTS.find((endpoint) => fits(endpoint.path.split("/"), parts)) ?? null;
}

function fits(pattern: readonly string[], parts: readonly string[]): boolean {
  return (
    pattern.length === parts.length &&
    pattern.every((part, index) => part === parts[index] || (part === ":id" && parts[index] !== ""))
  );
}
