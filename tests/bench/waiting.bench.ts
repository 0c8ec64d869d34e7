// What a pass costs while no message waits for agents at work, and while one waits for each.
import type { MessageQueue } from "../../src/input/message-queue.ts";
import { memoryMessages } from "../support/messages.ts";
import { readScreen } from "../support/screens.ts";
import { CLIENT, comparePasses, fleetOf } from "./sent-later.ts";

const { styled } = readScreen("claude", "classic-working-bash");
let messages: MessageQueue | null = null;
const stage = await fleetOf(styled, {
  deliveries: (identity) => ({ queued: messages?.of(identity) }),
});
const { hub, clock } = stage;
const opened = memoryMessages({
  ...{ hub, clock },
  queue: { find: (id) => hub.resolve(id), run: () => Promise.reject(new Error("not free")) },
});
messages = opened;
hub.subscribe((snapshot) => opened.follow(snapshot));
await opened.open();
const agents = hub.current.panes.filter(({ agent }) => agent !== null);
let keys = 0;
await comparePasses(stage, agents, async (isToBeSent) => {
  const own = () => ({ idempotency_key: `bench-${keys++}` });
  if (isToBeSent)
    for (const { id } of agents)
      await opened.act({ operation: "add", id, text: "and then", ...own() }, CLIENT);
  else
    for (const { messages: list } of opened.lists)
      for (const { id } of list)
        await opened.act({ operation: "delete", message_id: id, ...own() }, CLIENT);
});
