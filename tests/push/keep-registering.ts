// Started by a test that kills it while it writes.
import { createLog } from "../../src/lib/log.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { Devices } from "../../src/push/devices.ts";

const [stateDir = ""] = process.argv.slice(2);
const devices = await Devices.open({
  stateDir,
  configured: new Set(),
  onError: false,
  access: { owner: "anybody", holds: () => true },
  clock: systemClock,
  log: createLog(),
});
for (let index = 0; ; index++) {
  const token = (index % 40).toString(16).padStart(16, "0");
  await devices.register({
    kind: "apns",
    token,
    name: `${index}`,
    platform: "ios",
    contextual: true,
    grant: "anybody",
  });
  if (index === 0) process.stdout.write("written\n");
}
