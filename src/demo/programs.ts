export interface Lines {
  print(text: string): void;
  readLine(): Promise<string | null>;
  sleep(seconds: number): Promise<void>;
}

export type LineProgram = (lines: Lines) => Promise<void>;

const FILES = ["app.tar.gz", "CHANGES.md", "SHA256SUMS"];
const SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const MODULES = ["core", "checkout", "orders", "search", "admin"];

/** Asks before it overwrites each of its files, again and again. */
export const release: LineProgram = async ({ print, readLine, sleep }) => {
  print("Sample program of `panewatch demo`: it writes nothing.\n\n");
  for (let round = 0; ; round++) {
    const file = FILES[round % FILES.length];
    print(`Packing release/${file}\n`);
    await sleep(1);
    print(`release/${file} exists already. Overwrite? [y/N] `);
    const answer = await readLine();
    if (answer === null) return;
    print(/^y/i.test(answer.trim()) ? `Wrote release/${file}.\n\n` : `Kept release/${file}.\n\n`);
    await sleep(8);
  }
};

/** Works without end, with a spinner that redraws its row. */
export const build: LineProgram = async ({ print, sleep }) => {
  print("Sample program of `panewatch demo`: it builds nothing.\n\n");
  for (let step = 0; ; step++) {
    const name = MODULES[Math.floor(step / 40) % MODULES.length];
    print(`\r\x1b[K${SPINNER[step % SPINNER.length]} compiling ${name} (${Math.floor(step / 4)}s)`);
    if (step % 40 === 39) print(`\r\x1b[K✓ ${name}\n`);
    await sleep(0.25);
  }
};

/** Fails, stays so, and can be run again with Enter. */
export const imports: LineProgram = async ({ print, readLine, sleep }) => {
  for (;;) {
    print("Sample program of `panewatch demo`: the failure is drawn.\n\nReading orders.csv\n");
    await sleep(3);
    print(
      "Traceback (most recent call last):\n" +
        '  File "import_orders.py", line 42, in <module>\n' +
        "    total = float(row[3])\n" +
        "ValueError: could not convert string to float: 'n/a'\n\n" +
        "(an empty line runs it again)\n",
    );
    if ((await readLine()) === null) return;
    print("\x1b[H\x1b[2J");
  }
};
