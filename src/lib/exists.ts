import { access } from "node:fs/promises";

/** Whether a path exists, as far as our rights let us see it. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
