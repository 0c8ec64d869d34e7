// The service as a process of its own, for tests that kill it: `served.ts CONFIG ASSETS`.
import { serve } from "../../src/cli/serve.ts";
import { PATTERN_WORKER } from "./pattern-worker.ts";

const [config = "", assets = ""] = process.argv.slice(2);
process.exit(await serve({ config }, { assets, patternWorker: PATTERN_WORKER }));
