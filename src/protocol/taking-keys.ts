/** Keys that take the focused option: guarded input wants to know what the person saw there. */
export const TAKING_KEYS: ReadonlySet<string> = new Set(["Enter", "Space"]);
