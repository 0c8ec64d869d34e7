import type { JSX } from "preact";
import { count } from "../../words/common.ts";
import { changesHash } from "../../state/browser/router.ts";
import { useBrowser, usePart } from "../../state/client.ts";
import { ChangesPart } from "../../state/server/changes.ts";
import { Button } from "../../ui/button.tsx";
import { usePane } from "../parts/derived.ts";
import { Counts } from "./files.tsx";

/** Leads from a card to the files of its pane; with their figures once they were looked at. */
export function ChangesButton({ paneId }: { readonly paneId: string }): JSX.Element | null {
  const { router } = useBrowser();
  const pane = usePane(paneId).value;
  const found = usePart(ChangesPart).list(paneId).value.value;
  // Only agents change files by themselves, and git runs on this machine alone.
  if (pane === null || pane.agent === null || pane.cwd === "" || (pane.host ?? null) !== null)
    return null;
  return (
    <Button tone="plain" data-files onClick={() => router.go(changesHash(paneId))}>
      {found === null ? "Changes" : count(found.total, "file", "files")}
      {found !== null && <Counts {...found} />}
    </Button>
  );
}
