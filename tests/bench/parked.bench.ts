// What a pass costs while nothing is to be sent to agents that a limit holds, and while "continue" is
// set for each.
import type { ScheduledSends } from "../../src/input/scheduled-sends.ts";
import { memoryContinuations } from "../support/continuations.ts";
import { readScreen } from "../support/screens.ts";
import { CLIENT, comparePasses, fleetOf } from "./sent-later.ts";

const { styled } = readScreen("claude", "limit-cancelled-v2.1.330");
let continuations: ScheduledSends | null = null;
const stage = await fleetOf(styled, {
  deliveries: (identity) => ({ continue_then: continuations?.of(identity) }),
});
const { hub, clock } = stage;
const opened = memoryContinuations({
  ...{ hub, clock },
  queue: { find: (id) => hub.resolve(id), run: () => Promise.reject(new Error("not due")) },
});
continuations = opened;
hub.subscribe((snapshot) => opened.follow(snapshot));
await opened.open();
const parked = hub.current.panes.filter((pane) => pane.parked !== null);
await comparePasses(stage, parked, async (on) => {
  for (const { id, parked: limit } of parked) {
    const wanted = { on: true, until: limit?.until ?? 0, text: "continue" } as const;
    await opened.set(on ? { id, ...wanted } : { id, on }, CLIENT);
  }
});
