/** A request whose body is this as JSON; undefined: one without a body. */
export function jsonRequest(
  method: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
) {
  const all = { "content-type": "application/json", ...headers };
  return { method, headers: all, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
}
