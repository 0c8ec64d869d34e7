import type { JSX } from "preact";
import { OFFERED_FROM } from "../../state/server/collecting.ts";
import { Collected } from "../../state/server/collected.ts";
import { usePart, useServer } from "../../state/client.ts";
import { Segments } from "../../ui/segments.tsx";
import { collect as words } from "../../words/collect.ts";
import { useDerived } from "../parts/derived.ts";

/** What a tap on an option does. */
export function CollectSwitch(): JSX.Element | null {
  const { collecting } = useServer().queue;
  const part = usePart(Collected);
  const isOffered = useDerived(() => part.answerable.value >= OFFERED_FROM, [part]);
  const isOn = collecting.isOn.value;
  if (!isOffered && !isOn && !collecting.hasChoices.value) return null;
  return (
    <div class="mode">
      <Segments
        label={words.mode}
        options={[
          { value: "now", label: words.now },
          { value: "collect", label: words.collect },
        ]}
        chosen={isOn ? "collect" : "now"}
        onChoose={(value) => {
          collecting.isOn.value = value === "collect";
        }}
      />
    </div>
  );
}
