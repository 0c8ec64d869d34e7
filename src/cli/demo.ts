import type { Flags } from "../config/resolve.ts";
import { FIELDS } from "../config/fields.ts";
import { runDemo } from "../demo/demo.ts";
import { nextFreePort } from "../lib/address.ts";
import { places, SELF } from "./places.ts";
import { serve } from "./serve.ts";

/** `panewatch demo`: beside the person's own service it is the next address. */
export async function demo({ hosts, ...typed }: Flags): Promise<number> {
  const host = typeof typed.host === "string" ? typed.host : FIELDS["server.host"].default;
  const port = String(nextFreePort(host, FIELDS["server.port"].default));
  return runDemo({
    self: SELF,
    hosts: hosts === true,
    serve: (config, linkCommand) =>
      serve(
        { port, ...typed, config },
        { ...places(), isSample: true, ...(linkCommand && { linkCommand }) },
      ),
  });
}
