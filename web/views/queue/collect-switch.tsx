import type { JSX } from "preact";
import { useServer } from "../../state/client.ts";
import { Segments } from "../../ui/segments.tsx";
import { collect as words } from "../../words/collect.ts";

/** What a tap on an option does. */
export function CollectSwitch(): JSX.Element {
  const { isOn } = useServer().queue.collecting;
  return (
    <Segments
      label={words.mode}
      options={[
        { value: "now", label: words.now },
        { value: "collect", label: words.collect },
      ]}
      chosen={isOn.value ? "collect" : "now"}
      onChoose={(value) => {
        isOn.value = value === "collect";
      }}
    />
  );
}
