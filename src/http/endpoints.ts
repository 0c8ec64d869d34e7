/** What answers it: the service and its parts, or the agent bundle. */
type Part = "service" | "agents";

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
  one("service", "/api/state", "GET"),
  one("service", "/api/key", "POST"),
  one("service", "/api/text", "POST"),
  one("service", "/api/select", "POST"),
  one("service", "/api/broadcast", "POST"),
  one("service", "/api/star", "POST"),
  one("service", "/api/explain", "POST"),
  one("service", "/api/config", "GET", "PATCH"),
  one("service", "/api/sessions", "GET"),
  one("service", "/api/sessions/kill", "POST"),

  one("service", "/api/input", "POST"),
  one("service", "/api/images", "POST"),
  one("service", "/api/mux/creation", "GET"),
  one("service", "/api/mux/directories", "GET"),
  one("service", "/api/mux/create", "POST"),
  one("service", "/api/usage", "GET"),
  one("service", "/api/usage/history", "GET"),
  one("service", "/api/usage/refresh", "POST"),
  one("service", "/api/pair", "POST"),
  one("service", "/api/pair/codes", "POST"),
  one("service", "/api/push/register", "POST"),
  one("service", "/api/push/unregister", "POST"),

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
