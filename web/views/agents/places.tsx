import type { JSX } from "preact";
import type { Half } from "../../state/browser/router.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { places as words } from "../../words/places.ts";
import { Places } from "../parts/places.tsx";

const HALVES: readonly (readonly [half: Half, hash: string, label: string])[] = [
  ["first", "#/all", words.panes],
  ["agents", "#/agents", words.agents],
  ["timeline", "#/timeline", words.timeline],
];

/** Panes, the sessions in them, and what happened in those. There only while the workspace is on. */
export function AllPlaces(): JSX.Element | null {
  const { router } = useBrowser();
  const { workspace } = useServer();
  if (workspace.facts.value.step !== "on") return null;
  const places = HALVES.map(([half, hash, label]) => ({
    hash,
    label,
    isOn: router.half.value === half,
  }));
  return <Places label={words.all} places={places} />;
}
