import type { JSX } from "preact";
import { VERSION } from "../../../src/protocol/version.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Mark } from "../parts/mark.tsx";

/** Nothing can be read or sent safely: say so, with both versions. */
export function Incompatible(): JSX.Element {
  const { config } = useServer();
  const { shell } = useBrowser();
  const version = config.serverVersion.value;
  return (
    <main class="full-notice auto stack middle gap-10" id="content">
      <Mark lit />
      <h1 class="mt-12 fs-28">This page and the server do not fit together</h1>
      <p class="text-2">
        The server is {version === "" ? "an unknown version" : `version ${version}`}, this page is
        version {VERSION}. Reload the page; if that does not help, update the server.
      </p>
      <Button tone="primary" size="block" class="mt-12" onClick={() => void shell.applyUpdate()}>
        Reload
      </Button>
    </main>
  );
}
