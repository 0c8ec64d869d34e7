import type { JSX } from "preact";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { useDerived } from "../parts/derived.ts";

const TITLE = "See what changed since you last looked";

/** From so many agents on a digest is worth more than the list. */
const INTRODUCED_FROM = 3;
/** The programs whose logs can be read. */
const READ: ReadonlySet<string> = new Set(["agent_a", "agent_b"]);

/** Says once that there is an agent workspace; "Not now" is for good. */
export function WorkspaceNote(): JSX.Element | null {
  const { panes, workspace } = useServer();
  const { preferences, router } = useBrowser();
  const count = useDerived(() => panes.all.value.filter(({ kind }) => READ.has(kind)).length, []);
  const isWanted = preferences.current.value.introduces && workspace.facts.value.step === "off";
  if (!isWanted || count < INTRODUCED_FROM) return null;
  return (
    <section class="workspace-note" aria-label={TITLE}>
      <b>{TITLE}</b>
      <p>The agent workspace reads the logs of Claude Code and Codex on the server. It is off.</p>
      <div class="actions">
        <Button aria-haspopup="dialog" onClick={() => router.show("settings-workspace")}>
          What it reads
        </Button>
        <Button tone="plain" onClick={() => preferences.set({ introduces: false })}>
          Not now
        </Button>
      </div>
    </section>
  );
}
