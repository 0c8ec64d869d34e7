import { expect, test } from "bun:test";
import { paceOf } from "../../src/hosts/host.ts";

test.each([
  ["a near host keeps the pace of this machine", 0.7, 4, false, 0.7],
  ["a far one is asked after three of its answers", 0.7, 400, false, 1.2],
  ["one that was never asked keeps it too", 0.7, null, false, 0.7],
  ["a host where nothing happens and nobody looks rests twice as long", 0.7, 4, true, 1.4],
  ["and a far one too", 0.7, 400, true, 2.4],
  ["none rests longer than five seconds", 0.7, 4000, false, 5],
  ["nor where nobody looks", 3, 4, true, 5],
  ["but by a setting of its own", 10, 4, true, 10],
])("%s", (_, wanted, roundTripMs, isIdle, seconds) => {
  expect(paceOf({ wanted, roundTripMs, isIdle })).toBeCloseTo(seconds, 6);
});
