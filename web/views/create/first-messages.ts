import { useEffect } from "preact/hooks";
import { type Client, useClient } from "../../state/client.ts";
import { Creation } from "../../state/server/creation.ts";

/** What could not be typed by itself stands in the composer of its pane, for the person to send. */
export async function tellFate(client: Client, paneId: string, message: string): Promise<void> {
  const { drafts, panes } = client.server;
  const { messages } = client.browser;
  const fate = await client.server.part(Creation).told(paneId, message);
  if (fate === null) return;
  if (fate.state === "sent") return messages.say("The first message was sent.");
  // A page that was just opened may not have its panes yet.
  await client.server.awaitPane(paneId);
  const pane = panes.latest(paneId);
  if (pane !== null && drafts.of(pane).peek().text === "") drafts.set(pane, { text: message });
  messages.alert(
    fate.state === "lost"
      ? "The service was started anew: the first message may have arrived before. Look at its terminal."
      : `The first message was not sent${fate.reason === "" ? "" : `: ${fate.reason}`}. It stands in the pane’s field.`,
  );
}

/** Tells what became of the first messages that an earlier page has left waiting. Draws nothing. */
export function FirstMessages(): null {
  const client = useClient();
  useEffect(() => {
    const { untold } = client.server.part(Creation);
    for (const [paneId, message] of Object.entries(untold)) void tellFate(client, paneId, message);
  }, []);
  return null;
}
