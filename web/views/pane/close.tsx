import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { appearanceOf, programLabel, type Pane } from "../../model/pane.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Confirm } from "../parts/sheet.tsx";
import { TerminalText } from "../parts/text.tsx";
import { sentenceOf } from "../../net/api.ts";

/** Asks once more before a pane and what runs in it end. */
export function ClosePaneSheet({ pane }: { readonly pane: Pane }): JSX.Element {
  const { api, config, link } = useServer();
  const { messages, router } = useBrowser();
  const [isOff, setOff] = useState(false);
  const close = async () => {
    setOff(true);
    const result = await api.call("POST /api/mux/close", { json: { id: pane.id } });
    router.close();
    // Gone is what was wanted.
    const isGone = !result.ok && result.failure.kind === "refused" && result.failure.status === 404;
    if (!result.ok && !isGone)
      messages.alert(`The pane was not closed: ${sentenceOf(result.failure)}`);
    void link.refresh();
  };
  const program = programLabel(pane, config.labels.value) || pane.command;
  return (
    <Confirm
      title="Close pane"
      act={{ label: "Close pane", onPress: () => void close(), isDanger: true, isOff }}
      keepLabel="Keep it"
    >
      <p class="page-text">
        <TerminalText text={`${program} in “${pane.name}” ends with it.`} />
        {appearanceOf(pane) === "working" && ` It is working.`}
      </p>
    </Confirm>
  );
}
