import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useClient } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { common } from "../../words/common.ts";

/** Asks once more: what was written here goes too. */
export function SignOut(): JSX.Element | null {
  const client = useClient();
  const [isAsking, setAsking] = useState(false);
  if (client.server.token.get() === "") return null;
  const signOut = () => client.browser.router.close(() => client.server.signOut());
  return (
    <div class="set settings-leave">
      {!isAsking && (
        <button type="button" class="item danger-text" onClick={() => setAsking(true)}>
          Sign out of this browser
        </button>
      )}
      {isAsking && (
        <div class="item">
          <span class="grow item-hint">Forgets the token and the drafts in this browser</span>
          <Button size="small" tone="danger" onClick={signOut}>
            Sign out now
          </Button>
          <Button size="small" onClick={() => setAsking(false)}>
            {common.cancel}
          </Button>
        </div>
      )}
    </div>
  );
}
