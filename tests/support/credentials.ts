import { Credentials } from "../../src/config/credentials.ts";
import { StoredAccess, NO_ACCESS } from "../../src/config/stored-access.ts";
import { StoredJson } from "../../src/lib/stored-json.ts";
import { FakeClock } from "./clock.ts";
import { resolve, type Layer } from "../../src/config/resolve.ts";

interface FakeCredentials {
  flags?: Layer;
  access?: Partial<StoredAccess>;
  localSecret?: string;
  clock?: FakeClock;
}

/** Credentials whose file is `written`; `refuse` makes the next write fail. */
export function fakeCredentials({
  flags = {},
  access = {},
  localSecret = "",
  clock = new FakeClock(),
}: FakeCredentials = {}) {
  const written: StoredAccess[] = [];
  let failure: Error | null = null;
  const stored = new StoredJson({
    file: {
      read: async () => null,
      async write(value) {
        if (failure) throw failure;
        written.push(StoredAccess.parse(value));
      },
      quarantine: async () => {},
    },
    schema: StoredAccess,
    empty: { ...NO_ACCESS, ...access },
    name: "what signs in",
  });
  // Until it is read `empty` holds, and a change waits.
  void stored.open();
  const credentials = new Credentials({
    config: resolve({ yaml: {}, overlay: {}, flags }),
    stored,
    localSecret,
    clock,
  });
  return {
    credentials,
    written,
    refuse: (error: Error) => void (failure = error),
    /** As if that had been set up here. */
    async change(access: Partial<StoredAccess>): Promise<void> {
      await stored.change((before) => ({ ...before, ...access }));
      await credentials.tend();
    },
  };
}
