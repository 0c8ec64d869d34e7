import type { JSX } from "preact";
import { VERSION } from "../../../src/protocol/version.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { signIn as words } from "../../words/sign-in.ts";
import { Mark } from "../parts/mark.tsx";

/** Nothing can be read or sent safely: say so, with both versions. */
export function Incompatible(): JSX.Element {
  const { config } = useServer();
  const { shell } = useBrowser();
  return (
    <main class="full-notice" id="content">
      <Mark lit />
      <h1>{words.incompatibleTitle}</h1>
      <p>{words.incompatibleText(config.serverVersion.value, VERSION)}</p>
      <Button tone="primary" size="block" onClick={() => void shell.applyUpdate()}>
        {words.reload}
      </Button>
    </main>
  );
}
