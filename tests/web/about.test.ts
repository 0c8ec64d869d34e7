import { describe, expect, test } from "bun:test";
import { aboutOf } from "../../src/detect/about.ts";
import { aboutLines } from "../../web/model/excerpt.ts";
import { pane } from "../support/pane.ts";
import { findIn, inputOf, readScreens } from "../support/screens.ts";

/** What agents write around the name of a file. */
const FILE_LABELS = ["file", "→", "?", "? WriteFile Writing to", "file Edit"];

describe("what a prompt is about", () => {
  const command = { kind: "command", file: null, added: null, removed: null } as const;
  const of = (text: string, evidence: readonly string[]) =>
    aboutLines(pane({ about: { ...command, text } }), evidence);

  test("a command stands alone, without its program's label, and its purpose below it", () => {
    expect(of("npm test", ["Bash command", "", "  npm test", "  Run the tests"])).toMatchObject({
      lines: ["npm test"],
      rest: ["  Run the tests"],
    });
  });

  test("one that is wrapped is whole", () => {
    const lines = [
      "Reason: the schema",
      "",
      "  $ pnpm prisma migrate",
      "    deploy",
      "",
      "cwd: ~/api",
    ];
    expect(of("pnpm prisma migrate", lines)).toMatchObject({
      lines: ["pnpm prisma migrate", "deploy"],
      rest: ["Reason: the schema", "", "", "cwd: ~/api"],
    });
  });

  test("where nobody knows where it ends, all lines stay as they stand", () => {
    expect(of("rm -rf a", ["Bash command", "", "  rm -rf a", "  b", "  Clean up"])).toBeNull();
    expect(of("npm test", ["something else"])).toBeNull();
  });

  test("a file is named with what is added and removed, above its lines", () => {
    const about = { ...command, kind: "file", text: "Edit src/a.ts", file: "src/a.ts" } as const;
    const lines = ["Edit file", "src/a.ts", "", " 1 - old", " 1 + new", " 2 + more"];
    expect(aboutLines(pane({ about }), lines)).toEqual({
      ...{ kind: "file", lines: ["Edit src/a.ts"], added: 2, removed: 1 },
      rest: [" 1 - old", " 1 + new", " 2 + more"],
    });
  });

  test("nothing that a person has to read is left out, in every recorded screen", () => {
    const words = (lines: readonly string[]) =>
      lines
        .join(" ")
        .split(/[\s│$]+/u)
        .filter(Boolean);
    let seen = 0;
    for (const screen of readScreens()) {
      const { prompt } = findIn(inputOf(screen));
      if (!prompt) continue;
      const { question } = prompt;
      const evidence = [...prompt.evidence];
      const about = aboutOf({ status: "needs_input", question, evidence, agent: null });
      const shown = aboutLines(pane({ about, question, evidence }), evidence);
      if (shown === null) continue;
      seen += 1;
      const left = words([...shown.lines, ...shown.rest]);
      const lost = words(evidence).filter((word) => !left.includes(word));
      const uncounted = lost.join(" ").replace(/^Edited \(\+\d+(?: -\d+\))?$/, "");
      expect(["", "Bash command", ...FILE_LABELS], screen.name).toContain(uncounted);
    }
    expect(seen).toBeGreaterThan(30);
  });
});
