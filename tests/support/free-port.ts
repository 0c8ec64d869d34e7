import { nextFreePort } from "../../src/lib/address.ts";

/**
 * A port of loopback at which nobody listens, below those that the system gives to connections and
 * to whoever asks for any: nobody takes it before it is used.
 */
export const freePort = (): number =>
  nextFreePort("127.0.0.1", 20_000 + Math.floor(Math.random() * 10_000));
