// Preloaded by each test process of `npm run test:power`: one file is read with its change.
import { plugin } from "bun";

const path = process.env.PANEWATCH_MUTANT_PATH;
const text = process.env.PANEWATCH_MUTANT_TEXT;
if (path === undefined || text === undefined) throw new Error("no mutant is named");
const exact = new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);

plugin({
  name: "mutant",
  setup(build) {
    build.onLoad({ filter: exact }, () => ({
      contents: text,
      loader: path.endsWith(".tsx") ? "tsx" : "ts",
    }));
  },
});
