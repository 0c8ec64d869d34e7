/** Members of a stored object; none where nothing is stored, or no object. */
export function storedMembers(stored: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(stored ?? "{}");
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

const PREFIX = "panewatch.";
/** What is the person's and of no server: preferences, and which hints were taken. */
const OWN: ReadonlySet<string> = new Set(["preferences", "answers", "set-up"]);

/** Clears everything of a server, whoever has kept it, from a page that has opened it or not. */
export function forgetServer(storage: Storage): void {
  const keys = Array.from({ length: storage.length }, (_, i) => storage.key(i) ?? "");
  for (const key of keys)
    if (key.startsWith(PREFIX) && !OWN.has(key.slice(PREFIX.length))) storage.removeItem(key);
}
