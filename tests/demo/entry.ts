// The demo with a service that only waits: `NOTE PROGRAM …`, where its configuration is noted and
// what its panes are started with.
import { writeFileSync } from "node:fs";
import { runDemo } from "../../src/demo/demo.ts";

const [note = "", ...self] = process.argv.slice(2);

const stopped = Promise.withResolvers<number>();
process.on("SIGINT", () => stopped.resolve(0));
const code = await runDemo({
  self,
  serve: async (configPath) => {
    writeFileSync(note, configPath);
    return stopped.promise;
  },
});
process.exit(code);
