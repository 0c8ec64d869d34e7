import { setDefaultTimeout } from "bun:test";

// For `bun test FILE`: the limit holds for the first file alone, so `npm test` says it as well.
setDefaultTimeout(120_000);
