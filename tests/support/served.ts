// The service as a process of its own, for tests that kill it: `served.ts CONFIG ASSETS`.
import { serve } from "../../src/cli/serve.ts";
import { PATTERN_WORKER } from "./pattern-worker.ts";

const [config = "", assets = ""] = process.argv.slice(2);
const places = { assets, patternWorker: PATTERN_WORKER, command: "panewatch" };
process.exit(await serve({ config }, places));
