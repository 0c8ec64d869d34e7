import { access } from "node:fs/promises";

/** Whether there is something under a path, and we may look. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
