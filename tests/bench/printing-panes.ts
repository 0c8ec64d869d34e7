import type { PrivateTmux } from "../support/tmux.ts";

export const PRINT_EVERY_MS = 250;

/** Panes with as many lines behind them; @returns their ttys. */
export async function openPanes(
  tmux: PrivateTmux,
  { count, lines }: { count: number; lines: number },
): Promise<string[]> {
  const history = `seq 1 ${lines} | sed 's/$/ a line of the history of this pane/'; exec sleep 3600`;
  await tmux.command("new-session", "-d", "-s", "bench", "-x", "120", "-y", "40", history);
  for (let i = 1; i < count; i++) await tmux.command("new-window", "-d", "-t", "bench:", history);
  return (await tmux.command("list-panes", "-a", "-F", "#{pane_tty}")).split("\n");
}

/** A process of its own prints a line in every pane, so that its cost is nobody's here. */
export function startPrinter(ttys: readonly string[]) {
  const program = `
    const fs = require("node:fs");
    const files = ${JSON.stringify(ttys)}.map((tty) => fs.openSync(tty, "w"));
    let n = 0;
    setInterval(() => {
      n++;
      for (const file of files) fs.writeSync(file, "line " + n + " of some output that scrolls by\\r\\n");
    }, ${PRINT_EVERY_MS});
  `;
  return Bun.spawn([process.execPath, "-e", program], { stdio: ["ignore", "ignore", "inherit"] });
}
