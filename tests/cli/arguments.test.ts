import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseArguments, type Command } from "../../src/cli/arguments.ts";
import { StartupError } from "../../src/errors.ts";

const CONFIG = { name: "config", alias: "c", value: "path", help: "" };
const COMMANDS: readonly Command[] = [
  {
    words: [],
    help: "",
    flags: [CONFIG, { name: "token", value: "token", help: "" }, { name: "shells", help: "" }],
  },
  { words: ["doctor"], help: "", flags: [CONFIG] },
  { words: ["service", "install"], help: "", flags: [{ name: "dry-run", help: "" }] },
  { words: ["service", "status"], help: "", flags: [] },
];

const parse = (...argv: string[]) => {
  const { command, flags } = parseArguments(argv, COMMANDS);
  return [command.words.join(" "), Object.fromEntries(flags)];
};

test("flags and values are read in every spelling, on either side of the command", () => {
  expect(parse()).toEqual(["", {}]);
  expect(parse("--config", "a", "--shells")).toEqual(["", { config: "a", shells: true }]);
  expect(parse("--config=a=b")).toEqual(["", { config: "a=b" }]);
  expect(parse("-c", "a", "doctor")).toEqual(["doctor", { config: "a" }]);
  expect(parse("doctor", "-c=a")).toEqual(["doctor", { config: "a" }]);
  expect(parse("service", "install", "--dry-run")).toEqual([
    "service install",
    { "dry-run": true },
  ]);
  expect(parse("--token=-x")).toEqual(["", { token: "-x" }]);
  expect(parse("--token=")).toEqual(["", { token: "" }]);
  expect(parse("--token", "a", "--token", "b")).toEqual(["", { token: "b" }]);
});

const REFUSED: [string[], RegExp][] = [
  [["--tokn", "x"], /^unknown flag --tokn \(did you mean --token\?\)/],
  [["-x"], /^unknown flag -x;/],
  [["-undefined"], /^unknown flag -undefined;/],
  [["--config"], /^--config needs a value: --config <path>$/],
  [["--config", "--shells"], /^--config needs a value/],
  [["--shells=true"], /^--shells takes no value$/],
  [["start"], /^unexpected argument "start"/],
  [[""], /^unexpected argument ""/],
  [["doctr"], /^unexpected argument "doctr" \(did you mean doctor\?\)/],
  [["doctor", "now"], /^unexpected argument "doctor now"/],
  [["service"], /there is: service install, service status$/],
  [["service", "remove"], /there is: service install, service status$/],
  [["doctor", "--token", "x"], /^--token is no flag of panewatch doctor$/],
  [["--dry-run"], /^--dry-run is no flag of the service$/],
];
for (const [argv, message] of REFUSED) {
  test(`refused: ${JSON.stringify(argv)}`, () => {
    expect(() => parse(...argv)).toThrow(StartupError);
    expect(() => parse(...argv)).toThrow(message);
  });
}

test("law: every command line is read whole or refused", () => {
  const word = fc.constantFrom("--config", "-c", "a", "--shells", "doctor", "--token=1", "-", "");
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (argv) => {
      try {
        const [, flags] = parse(...argv);
        if (argv.includes("--shells")) expect(flags).toHaveProperty("shells");
        if (argv.includes("--token=1")) expect(flags).toHaveProperty("token", "1");
      } catch (error) {
        expect(error).toBeInstanceOf(StartupError);
      }
    }),
  );
});

test("a command may take words of its own, the last any number of them, also behind --", () => {
  const pane = { name: "pane", help: "" };
  const explain = { words: ["explain"], help: "", flags: [CONFIG], operands: [pane] };
  const send = { ...explain, words: ["send"], operands: [pane, { ...pane, isMany: true }] };
  const read = (...argv: string[]) => {
    const { flags, operands } = parseArguments(argv, [...COMMANDS, explain, send]);
    return [operands, Object.fromEntries(flags)];
  };
  expect(read("explain")).toEqual([[], {}]);
  expect(read("explain", "work:1.1", "-c", "a")).toEqual([["work:1.1"], { config: "a" }]);
  expect(read("send", "%1", "--", "rm", "-rf", "-c")).toEqual([["%1", "rm", "-rf", "-c"], {}]);
  expect(() => read("explain", "a", "b")).toThrow(/^unexpected argument "explain a b"/);
});
