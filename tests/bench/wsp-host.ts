// The double in a process of its own, so that what it costs is not counted as ours. Its first line
// on stdout says where it is; lines on stdin change what its panes do.
//
//   bun tests/bench/wsp-host.ts PANES CALL_MS UNLUCKY_SHARE
import { openPane } from "../support/wsp/provider.ts";
import { WspDouble } from "../support/wsp/double.ts";
import { composer, permission, working } from "../support/wsp/watched.ts";

const [panes = 1, callMs = 3, unluckyShare = 0.05] = process.argv.slice(2).map(Number);
// The same sequence in every run.
let seed = 7;
const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
const double = await WspDouble.start({
  habits: { callMs, unluckyShare, random, streamTickMs: 100 },
});
const { world } = double.session();
for (let number = 0; number < panes; number++) {
  const pane = openPane(world, `space ${number % 5}`);
  world.startAgent(pane, "claude", "idle");
  pane.screen.print(Array.from({ length: 120 }, (_, row) => `row ${row} of ${number}`).join("\n"));
}
let printing: Timer | null = null;
let turn = 0;

const BLINK_MS = 600;
const SPIN_MS = 120;
const FRAMES = 50;

/** A permission under a mark that blinks while it stands. */
function blink(number: string): void {
  const [pane] = world.panes;
  if (!pane) return;
  world.setState(pane, "blocked");
  const question = `Do you want to run number ${number}?`;
  pane.animate([permission(question, 1, "●"), permission(question, 1, " ")], BLINK_MS);
  pane.program = () => {
    pane.still();
    pane.screen.show(composer());
    world.setState(pane, "idle");
  };
}

function spin(): void {
  const [pane] = world.panes;
  if (!pane) return;
  world.setState(pane, "working");
  pane.animate(
    Array.from({ length: FRAMES }, (_, frame) => working(frame)),
    SPIN_MS,
  );
}

/** Each question stands for so long; answers are counted as right or wrong. */
function race(everyMs: number): void {
  const [pane] = world.panes;
  if (!pane) return;
  let asked = 0;
  const shown = () => permission(`Do you want to run number ${asked}?`);
  world.setState(pane, "blocked");
  pane.program = () => process.stdout.write(`${JSON.stringify({ answered: asked })}\n`);
  pane.screen.show(shown());
  setInterval(() => {
    asked++;
    pane.screen.show(shown());
  }, everyMs);
}

process.stdout.write(`${JSON.stringify({ binary: double.binary, env: double.env })}\n`);
for await (const line of console) {
  const [word, value = "0"] = line.split(" ");
  if (word === "busy")
    printing = setInterval(() => {
      turn++;
      for (const pane of world.panes) pane.screen.print(`step ${turn} of this pane`);
    }, 250);
  if (word === "quiet") clearInterval(printing ?? undefined);
  if (word === "ask") {
    const [pane] = world.panes;
    if (pane) {
      world.setState(pane, "blocked");
      pane.screen.show(permission(`Do you want to run number ${value}?`));
      pane.program = () => {
        pane.screen.show(composer());
        world.setState(pane, "idle");
      };
    }
  }
  if (word === "blink") blink(value);
  if (word === "spin") spin();
  if (word === "race") race(Number(value));
  if (word === "end") break;
}
await double.stop();
process.exit(0);
