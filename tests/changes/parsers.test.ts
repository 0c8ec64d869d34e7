import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseDiff, parseStatus } from "../../src/changes/parse.ts";
import { markWords, parsePatch } from "../../src/changes/patch.ts";
import { parseSettings, repositorySettings } from "../../src/changes/git.ts";
import type { WordMark } from "../../src/protocol/changes.ts";
import { forAll } from "../support/laws.ts";

// Names that look like the syntax around them.
const piece = fc.constantFrom(
  ...["a", "/", " ", "\n", "\t", ":", "?", "1 "],
  ...["# branch.head x", "-\t-\t", "ü", "👩", "=>", "R100"],
);
const name = fc.array(piece, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(""));
const count = fc.option(fc.nat(5000));
const file = fc.record({
  path: name,
  from: name,
  letter: fc.constantFrom("A", "M", "D", "R", "T"),
  added: count,
  mode: fc.constantFrom("100644", "100755", "120000", "160000"),
});
const files = fc.uniqueArray(file, { selector: ({ path }) => path, maxLength: 12 });

const ID = "0".repeat(40);
/** The mode of a file that is not there. */
const NONE = "000000";
const STATUS = { A: "added", M: "modified", D: "deleted", R: "renamed", T: "retyped" };
const TYPE = { "100644": "file", "100755": "file", "120000": "link", "160000": "repository" };

test("the output of git diff --raw --numstat -z is read for any names", () => {
  forAll([files], (some) => {
    const raw = some.map(({ path, from, letter, mode }) =>
      [
        `:${letter === "A" ? NONE : mode} ${letter === "D" ? NONE : mode} ${ID} ${ID} ${letter}${letter === "R" ? "092" : ""}`,
        ...(letter === "R" ? [from] : []),
        path,
      ].join("\0"),
    );
    const counts = some.map(({ path, from, letter, added }) => {
      const numbers = added === null ? "-\t-\t" : `${added}\t3\t`;
      return letter === "R" ? `${numbers}\0${from}\0${path}` : numbers + path;
    });
    const text = [...raw, ...counts].map((record) => `${record}\0`).join("");
    expect(parseDiff(text)).toEqual(
      some.map(({ path, from, letter, added, mode }) => ({
        path,
        old_path: letter === "R" ? from : null,
        status: STATUS[letter as keyof typeof STATUS],
        type: TYPE[mode as keyof typeof TYPE],
        added,
        removed: added === null ? null : 3,
      })) as ReturnType<typeof parseDiff>,
    );
  });
});

describe("the output of git status --porcelain=v2 -z", () => {
  test("is read for any names", () => {
    const mark = fc.record({
      path: name,
      x: fc.constantFrom(..."MADT."),
      y: fc.constantFrom(..."MDT."),
    });
    const marks = fc.uniqueArray(mark, { selector: ({ path }) => path, maxLength: 9 });
    forAll([marks, fc.uniqueArray(name), fc.boolean()], (some, untracked, isConflict) => {
      const modes = isConflict
        ? `100644 100644 100644 100644 ${ID} ${ID} ${ID}`
        : `1 2 3 ${ID} ${ID}`;
      const lines = [
        ...["# branch.oid (initial)", "# branch.head some/branch"],
        ...some.map(({ path, x, y }) => `${isConflict ? "u" : "1"} ${x}${y} N... ${modes} ${path}`),
        ...untracked.map((path) => `? ${path}`),
      ];
      const status = parseStatus(lines.map((line) => `${line}\0`).join(""));
      expect(status).toMatchObject({ branch: "some/branch", hasCommit: false, untracked });
      expect([...status.marks]).toEqual(
        some.map(({ path, x, y }) => [
          path,
          { staged: x !== ".", unstaged: y !== ".", isConflict },
        ]),
      );
    });
  });

  test("has no branch where none is checked out", () => {
    const text = `# branch.oid ${ID}\0# branch.head (detached)\0`;
    expect(parseStatus(text)).toMatchObject({ branch: null, hasCommit: true });
  });
});

describe("a patch", () => {
  const words = fc.constantFrom(..."ab -+@\\", "@@ -1 +1 @@", "diff --git ", "\r", "ü");
  const text = fc.array(words, { maxLength: 5 }).map((parts) => parts.join(""));
  const line = fc.record({ sign: fc.constantFrom(..." -+"), text });
  const hunk = fc.record({
    lines: fc.array(line, { minLength: 1, maxLength: 12 }),
    old: fc.integer({ min: 1, max: 900 }),
    now: fc.integer({ min: 1, max: 900 }),
    heading: fc.constantFrom("", "function x() {", "@@ odd"),
  });

  test("is read for any text in its lines", () => {
    forAll([fc.array(fc.array(hunk, { maxLength: 3 }), { maxLength: 3 })], (some) => {
      const written = some.map((hunks) => {
        const texts = hunks.map(({ lines, old, now, heading }) => {
          const olds = lines.filter(({ sign }) => sign !== "+").length;
          const nows = lines.filter(({ sign }) => sign !== "-").length;
          const head = `@@ -${old},${olds} +${now},${nows} @@${heading === "" ? "" : ` ${heading}`}`;
          return [head, ...lines.map(({ sign, text }) => sign + text)].join("\n");
        });
        return ["diff --git a/x b/x", "index 1..2 100644", "--- a/x", "+++ b/x", ...texts].join(
          "\n",
        );
      });
      const parsed = parsePatch(`${written.join("\n")}\n`);
      const hunksRead = parsed.map(({ hunks }) =>
        hunks.map(({ heading, lines }) => ({
          heading,
          lines: lines.map((each) => {
            const sign = each.old === null ? "+" : each.new === null ? "-" : " ";
            return { sign, text: each.text };
          }),
          numbers: lines.map((each) => [each.old, each.new]),
        })),
      );
      expect(hunksRead).toEqual(
        some.map((hunks) =>
          hunks.map(({ lines, old, now, heading }) => {
            let [left, right] = [old, now];
            const numbers = lines.map(({ sign }) => [
              sign === "+" ? null : left++,
              sign === "-" ? null : right++,
            ]);
            return { heading, lines, numbers };
          }),
        ),
      );
    });
  });

  test("of a binary file is marked as binary, without hunks", () => {
    const text = "diff --git a/x b/x\nindex 1..2 100644\nBinary files a/x and b/x differ\n";
    expect(parsePatch(text)).toEqual([{ isBinary: true, hunks: [] }]);
  });

  test("that was cut off is read to its last line", () => {
    const text = "diff --git a/x b/x\n@@ -1,9 +1,9 @@\n a\n-b";
    expect(parsePatch(text)[0]?.hunks[0]?.lines.map(({ text }) => text)).toEqual(["a", "b"]);
  });

  test("has a very long line cut, never inside a surrogate pair", () => {
    const text = `diff --git a/x b/x\n@@ -0,0 +1 @@\n+${"👩".repeat(5000)}\n`;
    const line = parsePatch(text)[0]?.hunks[0]?.lines[0]?.text ?? "";
    expect(line).toBe(`${"👩".repeat(1000)}…`);
  });
});

test("no parser throws on any text", () => {
  const noise = fc.array(
    fc.oneof(fc.string(), piece, fc.constantFrom("\0", "@@ -1 +1 @@\n", ":1 1 1 1 R\0")),
  );
  forAll([noise], (parts) => {
    const text = parts.join("");
    for (const parse of [parseDiff, parseStatus, parsePatch, parseSettings]) parse(text);
  });
});

describe("the marks on two lines", () => {
  const word = fc.constantFrom("a", "bb", "ccc", " ", "  ", "(", ")", ".", "ü", "漢字", "👩");
  const line = fc.array(word, { maxLength: 14 }).map((parts) => parts.join(""));
  const without = (text: string, marks: readonly WordMark[]) =>
    marks.reduceRight(
      (rest, { start, length }) => rest.slice(0, start) + rest.slice(start + length),
      text,
    );

  test("leave the same text in both lines when they are taken out", () => {
    forAll([line, line], (before, after) => {
      const marks = markWords(before, after);
      if (marks === null) return;
      expect(without(before, marks.before)).toBe(without(after, marks.after));
      for (const some of [marks.before, marks.after])
        for (const { length } of some) expect(length).toBeGreaterThan(0);
      if (before === after) expect(marks).toEqual({ before: [], after: [] });
    });
  });

  test("cover whole words, from the first that differs to the last", () => {
    expect(markWords("if (s.expires < now())", "if (s.expires <= later())")).toEqual({
      before: [{ start: 15, length: 4 }],
      after: [{ start: 15, length: 7 }],
    });
  });

  test("cover a word that is there once more", () => {
    expect(markWords("one one", "one one one")).toEqual({
      before: [],
      after: [{ start: 7, length: 4 }],
    });
  });

  test("are there where only the ends of the lines are common", () => {
    expect(markWords("a = total(items)", "sum = total(items)")).toEqual({
      before: [{ start: 0, length: 1 }],
      after: [{ start: 0, length: 3 }],
    });
  });

  test("are absent where the lines have little in common", () => {
    expect(markWords("return value;", "const other = 1;")).toBe(null);
  });
});

test("only known settings of a repository are passed to git, as values", () => {
  const text = "core.autocrlf\ninput\0core.filemode\0core.eol\nlf\0core.eol\ncrlf\0";
  const values = parseSettings(text);
  values.set("extensions.objectformat", "sha256");
  values.set("extensions.refstorage", "x\n[filter]");
  values.set("core.fsmonitor", "program");
  const { args, extensions } = repositorySettings(values);
  expect(args.filter((arg) => arg !== "-c").slice(0, 3)).toEqual([
    ...["core.autocrlf=input", "core.eol=crlf", "core.filemode=true"],
  ]);
  expect(args.join(" ")).not.toContain("fsmonitor");
  expect(extensions).toEqual(["\tobjectformat = sha256\n"]);
});
