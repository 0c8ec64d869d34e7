const KEY = "panewatch.server";

/** Instance id of the server that was last looked at, for a start without the network. */
export const rememberedServer = (storage: Storage): string | null => storage.getItem(KEY);

export const rememberServer = (storage: Storage, instanceId: string): void =>
  storage.setItem(KEY, instanceId);
