import { setDefaultTimeout } from "bun:test";
import { TEST_MS } from "./until.ts";

// For `bun test FILE`: the limit holds for the first file alone, so `npm test` says it as well.
setDefaultTimeout(TEST_MS);
