// Stands for the executable in tests: `demo-pane NAME …`, or the demo with a service that only waits.
import { writeFileSync } from "node:fs";
import { runDemo } from "../../src/demo/demo.ts";
import { runDemoPane } from "../../src/demo/pane.ts";

const [word, argument = "", ...rest] = process.argv.slice(2);
if (word === "demo-pane") process.exit(await runDemoPane([argument, ...rest]));

const stopped = Promise.withResolvers<number>();
process.on("SIGTERM", () => stopped.resolve(0));
process.on("SIGINT", () => stopped.resolve(0));
const code = await runDemo({
  self: [process.execPath, import.meta.path],
  serve: async (configPath) => {
    writeFileSync(argument, configPath);
    return stopped.promise;
  },
});
process.exit(code);
