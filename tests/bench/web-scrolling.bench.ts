// Scrolling while output comes: tasks of the page that are long enough to be felt. Half a minute.
import { busyFleet, nextPass } from "../support/busy-fleet.ts";
import { onPhone, withPhones } from "./phone.ts";
import { LONG_TASK_MS, tasksDuring } from "./tasks.ts";
import { ms, printTable } from "./figures.ts";

const TURNS = 60;
const TURN_MS = 100;
const WHEEL_PX = 400;
/** A snapshot comes with every so many turns of the wheel. */
const TURNS_PER_PASS = 5;

const AREAS = [
  { name: "all panes", hash: "#/all", area: "main.scroll", panes: 100, lines: 200 },
  { name: "queue", hash: "#/queue", area: "main.scroll", panes: 100, lines: 200 },
  {
    name: "terminal of 2000 lines",
    hash: "#/pane/%25100",
    area: "[data-terminal]",
    panes: 4,
    lines: 2000,
  },
];

await withPhones(async (lab) => {
  const rows: string[][] = [];
  for (const { name, hash, area, panes, lines } of AREAS)
    await onPhone(lab, hash, busyFleet(panes, lines), async ({ page, server, devtools }) => {
      const box = await page.locator(area).first().boundingBox();
      await page.mouse.move((box?.x ?? 0) + 100, (box?.y ?? 0) + 200);
      const tasks = await tasksDuring(devtools, async () => {
        for (let turn = 0; turn < TURNS; turn++) {
          if (turn % TURNS_PER_PASS === 0) {
            server.panes = nextPass(server.panes, turn, 10);
            server.pass();
          }
          await page.mouse.wheel(0, turn < TURNS / 2 ? -WHEEL_PX : WHEEL_PX);
          await page.waitForTimeout(TURN_MS);
        }
      });
      const long = tasks.filter((duration) => duration > LONG_TASK_MS);
      rows.push([name, String(long.length), ms(Math.max(0, ...tasks))]);
    });
  printTable(
    ["Scrolling while output comes", `tasks over ${LONG_TASK_MS} ms`, "longest task"],
    rows,
  );
});
