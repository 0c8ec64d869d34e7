import { Credentials } from "../../src/config/credentials.ts";
import { type KeptAccess, NOTHING_KEPT } from "../../src/config/kept-access.ts";
import { FakeClock } from "./clock.ts";
import { resolve, type Layer } from "../../src/config/resolve.ts";

export interface FakeCredentials {
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
  const credentials = new Credentials({
    config: resolve({ yaml: {}, overlay: {}, flags }),
    kept: { ...NOTHING_KEPT, ...kept },
    async write(value) {
      if (failure) throw failure;
      written.push(value);
    },
    localSecret,
    clock,
  });
  return { credentials, written, refuse: (error: Error) => void (failure = error) };
}
