export type Parts = Readonly<Record<string, unknown>>;

/**
 * A recorded value with its parts, which stand as `{name}`: a text that is nothing but that becomes
 * the part itself. `$each` repeats `of` with the members of each item of that part, `$json` is its
 * value as one text. What a part holds is never read as a template.
 */
export function fill(template: unknown, parts: Parts): unknown {
  if (typeof template === "string") {
    const whole = /^\{(\w+)\}$/.exec(template)?.[1];
    if (whole !== undefined) return parts[whole];
    return template.replace(/\{(\w+)\}/g, (_, name) => String(parts[name]));
  }
  if (typeof template !== "object" || template === null) return template;
  if (Array.isArray(template)) return template.map((item) => fill(item, parts));
  const { $json, $each, of }: Parts = { ...template };
  if ($json !== undefined) return JSON.stringify(fill($json, parts));
  if (typeof $each === "string") {
    const items: unknown = parts[$each];
    return Array.isArray(items) ? items.map((item) => fill(of, { ...parts, ...item })) : [];
  }
  const members = Object.entries(template);
  return Object.fromEntries(members.map(([key, value]) => [fill(key, parts), fill(value, parts)]));
}
