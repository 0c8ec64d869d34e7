// What one screen costs, and how the cost grows with its lines.
import { parseScreen } from "../../src/detect/ansi.ts";
import { detect, patternText } from "../../src/detect/detect.ts";
import { NO_PATTERNS } from "../../src/detect/pattern-rules.ts";
import { detectInput } from "../support/detect-input.ts";
import { inputOf, readScreens } from "../support/screens.ts";
import { percentile, printTable } from "./figures.ts";

const ROUNDS = 30;

function medianMs(work: () => void): number {
  for (let i = 0; i < 5; i++) work();
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return percentile(times, 50);
}

const recorded = readScreens();
const parsed = recorded.map((screen) => inputOf(screen));
const parse = medianMs(() => recorded.forEach((screen) => parseScreen(screen.styled)));
// As the service does, for an input that it has not seen before.
const find = medianMs(() =>
  parsed.forEach((o) => {
    const seen = { ...o };
    patternText(seen);
    detect(seen, NO_PATTERNS);
  }),
);

printTable(
  ["what", "each of the recorded screens"],
  [
    ["parse", `${((parse / recorded.length) * 1000).toFixed(1)} µs`],
    ["detect", `${((find / recorded.length) * 1000).toFixed(1)} µs`],
    ["detect against parse", (find / parse).toFixed(2)],
  ],
);

const line = "\x1b[38;5;246m  12 \x1b[39mconst value = await read(path); // ❯ 1. not an option\n";
const rows = ["claude", "codex", "opencode", "gemini", "deploy", "bash"].map((command) => {
  const cost = (lines: number) => {
    const o = detectInput(line.repeat(lines), { command });
    return medianMs(() => void detect({ ...o }, NO_PATTERNS));
  };
  const [small, large] = [cost(200), cost(2_000)];
  return [command, small.toFixed(3), large.toFixed(3), (large / small).toFixed(1)];
});
printTable(["detect as", "200 lines, ms", "2000 lines, ms", "ratio"], rows);
