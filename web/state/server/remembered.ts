const KEY = "panewatch.server";

/** Instance id of the server that was last looked at, for a start without the network. */
export const rememberedServer = (storage: Storage): string | null => storage.getItem(KEY);

export function rememberServer(storage: Storage, instanceId: string): void {
  try {
    storage.setItem(KEY, instanceId);
  } catch {
    // A full storage: drafts show once the server has answered.
  }
}
