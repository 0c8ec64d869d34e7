import { expect, test } from "bun:test";
import { PollerStage } from "../support/poller.ts";
import { sampled } from "../support/thorough.ts";

const SPINNER = "✻ Thinking… (esc to interrupt)";
const READY = "? for shortcuts";

const PASSES = Array.from({ length: 60 }, (_, pass) => pass);

/** The published states of three panes in each pass, while the wall clock is set between passes. */
async function published(setClock: (stage: PollerStage, pass: number) => void) {
  const stage = PollerStage.open();
  const { provider, clock } = stage;
  const printing = provider.open({ text: "one" });
  const resized = provider.open({ text: "$ rm file" });
  const agent = provider.open({ command: "claude", text: SPINNER });
  clock.advance(3);
  await stage.start();
  stage.poller.noteAction(agent.id);
  const startedAt = clock.monotonic();
  const passes: unknown[] = [];
  for (const pass of PASSES) {
    if (pass === 3) provider.print(printing.id, "two");
    if (pass === 5) resized.width = 100;
    if (pass === 6) provider.print(resized.id, "Overwrite the file? (y/n)");
    if (pass >= 8 && pass < 40) provider.show(agent.id, `${SPINNER} ${pass}`);
    if (pass === 40) provider.show(agent.id, READY);
    if (pass === 50) stage.poller.markSeen(agent.id);
    setClock(stage, pass);
    const { panes } = await stage.pass(0.5);
    passes.push({
      seconds: clock.monotonic() - startedAt,
      panes: panes.map(({ id, status, reason, question, changed, stale, finished_at }) => {
        return { id, status, reason, question, changed, stale, isDone: finished_at !== null };
      }),
    });
  }
  await stage.poller.stop();
  return passes;
}

const unset = await published(() => {});

test("the recorded passes contain every status that depends on time", () => {
  const text = JSON.stringify(unset);
  for (const passes of ["settle.changed", "settle.drawing", "(y/n)", `"isDone":true`])
    expect(text).toContain(passes);
});

test.each([-600, 600])(
  "a wall clock set by %d s at any pass changes nothing that is published",
  async (seconds) => {
    for (const at of sampled(PASSES, 8, 3)) {
      const seen = await published(({ clock }, pass) => pass === at && clock.adjustWall(seconds));
      expect({ at, seen }).toEqual({ at, seen: unset });
    }
  },
);

test("a wall clock that jumps to and fro at every pass changes nothing that is published", async () => {
  const seen = await published(({ clock }, pass) => clock.adjustWall(pass % 2 === 0 ? -600 : 600));
  expect(seen).toEqual(unset);
});
