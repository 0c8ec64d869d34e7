import { Credentials } from "../../src/config/credentials.ts";
import { KeptAccess, NO_ACCESS } from "../../src/config/kept-access.ts";
import { StoredJson } from "../../src/lib/stored-json.ts";
import { FakeClock } from "./clock.ts";
import { resolve, type Layer } from "../../src/config/resolve.ts";

interface FakeCredentials {
  flags?: Layer;
  kept?: Partial<KeptAccess>;
  localSecret?: string;
  clock?: FakeClock;
}

/** Credentials whose file is `written`; `refuse` makes the next write fail. */
export function fakeCredentials({
  flags = {},
  kept = {},
  localSecret = "",
  clock = new FakeClock(),
}: FakeCredentials = {}) {
  const written: KeptAccess[] = [];
  let failure: Error | null = null;
  const stored = new StoredJson({
    file: {
      read: async () => null,
      async write(value) {
        if (failure) throw failure;
        written.push(KeptAccess.parse(value));
      },
      quarantine: async () => {},
    },
    schema: KeptAccess,
    empty: { ...NO_ACCESS, ...kept },
    name: "what signs in",
  });
  // Until it is read `empty` holds, and a change waits.
  void stored.open();
  const credentials = new Credentials({
    config: resolve({ yaml: {}, overlay: {}, flags }),
    kept: stored,
    localSecret,
    clock,
  });
  return {
    credentials,
    written,
    refuse: (error: Error) => void (failure = error),
    /** As if that had been set up here. */
    async change(access: Partial<KeptAccess>): Promise<void> {
      await stored.change((before) => ({ ...before, ...access }));
      await credentials.tend();
    },
  };
}
