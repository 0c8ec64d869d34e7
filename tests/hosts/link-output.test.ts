import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { LinkOutputParser, type LinkOutput } from "../../src/hosts/link-output.ts";
import { forAll } from "../support/laws.ts";

const MARK = "0123456789abcdef01";
const bytesOf = (text: string) => new TextEncoder().encode(text);
const readable = (output: LinkOutput) =>
  output.is === "answer"
    ? {
        ...output,
        result: { ...output.result, stdout: new TextDecoder().decode(output.result.stdout) },
      }
    : output;

const READY = `motd\n\n${MARK} ready tmux 3.3a\n`;
const answer = (id: number, stdout: string, stderr = "", code = 0) =>
  `${MARK} begin\n${stdout}${MARK} status ${code}\n${stderr}${MARK} done ${id} 1700000000\n`;

function ready(): LinkOutputParser {
  const answers = new LinkOutputParser(MARK);
  answers.push(bytesOf(READY));
  return answers;
}

test("the output of a link is read alike however it is cut into pieces", () => {
  const text = `${READY}${answer(1, "añb\n")}noise of a start-up file\n${answer(2, "", "no\n", 1)}${MARK} same 3 1700000001\n${MARK} late 4 1700000009\n${MARK} same 5\n`;
  const whole = new LinkOutputParser(MARK).push(bytesOf(text)).map(readable);
  expect(whole).toEqual([
    { is: "ready", version: "tmux 3.3a" },
    { is: "answer", id: 1, at: 1_700_000_000, result: { code: 0, stdout: "añb\n", stderr: "" } },
    { is: "answer", id: 2, at: 1_700_000_000, result: { code: 1, stdout: "", stderr: "no\n" } },
    { is: "answer", id: 3, at: 1_700_000_001, result: { code: 1, stdout: "", stderr: "no\n" } },
    { is: "late", id: 4, at: 1_700_000_009 },
    { is: "answer", id: 5, at: null, result: { code: 1, stdout: "", stderr: "no\n" } },
  ]);
  forAll([fc.array(fc.nat({ max: bytesOf(text).length }))], (cuts) => {
    const bytes = bytesOf(text);
    const answers = new LinkOutputParser(MARK);
    const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
    const read = at.slice(1).flatMap((end, index) => answers.push(bytes.subarray(at[index], end)));
    expect(read.map(readable)).toEqual(whole);
  });
});

describe("the output of a link", () => {
  test("has no answer before the shell is ready", () => {
    expect(new LinkOutputParser(MARK).push(bytesOf(answer(1, "early\n")))).toEqual([]);
  });

  test("is nonsense after too much noise before the ready mark", () => {
    const output = new LinkOutputParser(MARK).push(bytesOf("x".repeat(70_000)));
    expect(output).toMatchObject([{ is: "nonsense" }]);
  });

  test("is nonsense after too long an answer without an end", () => {
    const answers = ready();
    const piece = bytesOf("y".repeat(1024 * 1024));
    const output = Array.from({ length: 20 }, () => answers.push(piece)).flat();
    expect(output[0]).toMatchObject({ is: "nonsense" });
  });

  test("is nonsense where an answer lacks its beginning or its status", () => {
    expect(ready().push(bytesOf(`torn\n${MARK} done 1\n`))).toMatchObject([{ is: "nonsense" }]);
    expect(ready().push(bytesOf(`${MARK} begin\n${MARK} done 1\n`))).toMatchObject([
      { is: "nonsense" },
    ]);
    expect(ready().push(bytesOf(`${MARK} same 1\n`))).toMatchObject([{ is: "nonsense" }]);
  });
});

test("keeps an answer unchanged when another one follows", () => {
  const answers = ready();
  const [first] = answers.push(bytesOf(answer(1, "first\n")));
  answers.push(bytesOf(answer(2, "other\n")));
  expect(first && readable(first)).toMatchObject({ result: { stdout: "first\n" } });
});

test("an answer that comes byte by byte costs no more for what has come before", () => {
  const answers = ready();
  answers.push(bytesOf(`${MARK} begin\n${"y".repeat(8 * 1024 * 1024)}`));
  // CPU time of this process: others may keep the machine busy.
  const start = process.cpuUsage();
  for (let count = 0; count < 2_000; count++) answers.push(bytesOf("y"));
  // From here on it could be the line of a mark.
  answers.push(bytesOf(`${MARK} `));
  for (let count = 0; count < 2_000; count++) answers.push(bytesOf("y"));
  expect(process.cpuUsage(start).user / 1_000_000).toBeLessThan(2);
  const [whole] = answers.push(bytesOf(`\n${MARK} status 0\n${MARK} done 1\n`));
  expect(whole).toMatchObject({ is: "answer", id: 1 });
});
