import type { Flags } from "../config/resolve.ts";
import { FIELDS } from "../config/fields.ts";
import { runDemo } from "../demo/demo.ts";
import { nextFreePort } from "../lib/address.ts";
import { SELF, serve } from "./serve.ts";

/** `panewatch demo`: takes the next free port, since the person's own service may run. */
export async function demo({ hosts, ...typed }: Flags): Promise<number> {
  const host = typeof typed.host === "string" ? typed.host : FIELDS["server.host"].default;
  const port = String(nextFreePort(host, FIELDS["server.port"].default));
  return runDemo({
    self: SELF,
    hosts: hosts === true,
    serve: (config, linkCommand) =>
      serve({ port, ...typed, config }, { isSample: true, ...(linkCommand && { linkCommand }) }),
  });
}
