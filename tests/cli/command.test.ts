import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Command, defineCommand, findCommand, runCommandLine } from "../../src/cli/command.ts";
import { renderHelp } from "../../src/cli/help.ts";
import { StartupError } from "../../src/errors.ts";
import { forAllInTime } from "../support/laws.ts";

const CONFIG = { config: { type: "string", alias: "c", valueHint: "path" } } as const;
const PANE = { type: "positional", required: true } as const;

let ran: readonly [name: string, args: object] | null = null;
function recorder(name: string, args: Parameters<typeof defineCommand>[2]) {
  return defineCommand(name, "", args, async ({ _, ...parsed }) => {
    const known = Object.entries(parsed).filter(([key]) => key in args);
    const given = known.filter(([, value]) => value !== undefined);
    ran = [name, { ...Object.fromEntries(given), ...(_.length > 0 ? { _ } : {}) }];
    return 3;
  });
}
const COMMANDS = [
  recorder("", { ...CONFIG, token: { type: "string" }, shells: { type: "boolean" } }),
  recorder("doctor", CONFIG),
  recorder("hosts", CONFIG),
  recorder("hosts add", { name: PANE, to: { ...PANE, required: false }, ...CONFIG }),
  recorder("service install", { "dry-run": { type: "boolean" } }),
  recorder("service status", {}),
  recorder("completions bash", {}),
  defineCommand("completions offer", "", {}, async () => 3, true),
  recorder("send", { pane: PANE, text: { ...PANE, many: true }, ...CONFIG }),
];

async function run(...argv: string[]): Promise<typeof ran> {
  ran = null;
  const { command, rawArgs } = findCommand(argv, COMMANDS);
  expect(await runCommandLine(command, rawArgs)).toBe(3);
  return ran;
}

test("flags are read in every spelling, before and after the command", async () => {
  expect(await run()).toEqual(["", {}]);
  expect(await run("--config", "a", "--shells")).toEqual(["", { config: "a", shells: true }]);
  expect(await run("--config=a=b")).toEqual(["", { config: "a=b" }]);
  expect(await run("-c", "a", "doctor")).toEqual(["doctor", { config: "a" }]);
  expect(await run("-c", "doctor", "doctor")).toEqual(["doctor", { config: "doctor" }]);
  expect(await run("doctor", "-ca")).toEqual(["doctor", { config: "a" }]);
  expect(await run("service", "install", "--dry-run")).toEqual([
    "service install",
    { "dry-run": true },
  ]);
  expect(await run("--token=-x")).toEqual(["", { token: "-x" }]);
  expect(await run("--token=")).toEqual(["", { token: "" }]);
  expect(await run("--token", "a", "--token", "b")).toEqual(["", { token: "b" }]);
});

test("the longest matching words name the command, and only that command runs", async () => {
  expect(await run("hosts")).toEqual(["hosts", {}]);
  expect(await run("hosts", "-c", "a", "add", "gpu-1")).toEqual([
    "hosts add",
    { name: "gpu-1", config: "a", _: ["gpu-1"] },
  ]);
  const both = ["hosts", "add", "gpu-1", "me@gpu"];
  expect(await run(...both)).toEqual([
    "hosts add",
    { name: "gpu-1", to: "me@gpu", _: ["gpu-1", "me@gpu"] },
  ]);
});

test("the last operand may have any number of words, also behind --", async () => {
  expect((await run("send", "%1", "--", "rm", "-rf", "--no-config", "-c"))?.[1]).toMatchObject({
    _: ["%1", "rm", "-rf", "--no-config", "-c"],
  });
  expect((await run("send", "%1", "two", "words", "-c", "a"))?.[1]).toMatchObject({
    ...{ _: ["%1", "two", "words"], config: "a" },
  });
});

const REFUSED: [string[], RegExp][] = [
  [["--tokn", "x"], /^unknown flag --tokn \(did you mean --token\?\); see panewatch --help$/],
  [["--tokn"], /^unknown flag --tokn \(did you mean --token\?\); see panewatch --help$/],
  [["doctor", "--tokn"], /^unknown flag --tokn; see panewatch doctor --help$/],
  [["-x"], /^unknown flag -x;/],
  [["--config"], /^the flag --config needs a value;/],
  [["--config", "--shells"], /^the flag --config needs a value;/],
  [["--shells=true"], /^the flag --shells takes no value;/],
  [["--no-shells"], /^unknown flag --no-shells/],
  [["--noShells"], /^unknown flag --noShells/],
  [["service", "install", "--dryRun"], /^unknown flag --dryRun/],
  [["start"], /^unexpected argument "start"; see panewatch --help$/],
  [[""], /^unexpected argument ""/],
  [["--", "doctor"], /^unexpected argument "doctor"/],
  [["doctr"], /^unexpected argument "doctr" \(did you mean doctor\?\)/],
  [["doctor", "now"], /^unexpected argument "now"; see panewatch doctor --help$/],
  [["service"], /there is: service install, service status$/],
  [["completions"], /there is: completions bash$/],
  [["service", "remove"], /there is: service install, service status$/],
  [["hosts", "add"], /^NAME is missing; see panewatch hosts add --help$/],
  [["-c", "--", "hosts"], /^the flag -c needs a value;/],
  [["hosts", "add", "a", "b", "c"], /^unexpected argument "c"/],
  [["doctor", "--token", "x"], /^unknown flag --token; see panewatch doctor --help$/],
];
test.each(REFUSED)("the arguments %j are refused", async (argv, message) => {
  const refusal = await run(...argv).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(StartupError);
  expect(refusal instanceof Error ? refusal.message : "").toMatch(message);
  expect(ran).toBeNull();
});

test("law: a command line is read whole or refused", async () => {
  const word = fc.constantFrom("--config", "-c", "a", "--shells", "doctor", "--token=1", "-", "");
  await forAllInTime([fc.array(word, { maxLength: 6 })], 200, async (argv) => {
    try {
      const args = (await run(...argv))?.[1];
      if (argv.includes("--shells")) expect(args).toHaveProperty("shells");
      if (argv.includes("--token=1")) expect(args).toHaveProperty("token", "1");
    } catch (error) {
      expect(error).toBeInstanceOf(StartupError);
    }
  });
});

const FILE = {
  config: { type: "string", alias: "c", valueHint: "path", description: "The file." },
} as const;
const nothing = async () => 0;
const SERVICE = defineCommand(
  "",
  "Watch.",
  { ...FILE, version: { type: "boolean", description: "The version." } },
  nothing,
);
const EXPLAIN = defineCommand(
  "explain",
  "Tell why.",
  {
    pane: { type: "positional", description: "A pane." },
    more: { type: "positional", required: false, many: true, description: "Others." },
    ...FILE,
  },
  nothing,
);
const HIDDEN = defineCommand("names", "For the shell.", {}, nothing, true);
const PAGES: readonly Command[] = [SERVICE, EXPLAIN, HIDDEN];

test("the service's help page lists the commands and its flags in columns", () => {
  expect(renderHelp(SERVICE, PAGES)).toBe(`Watch.

Usage: panewatch [flags]

Commands:
  explain  Tell why.

Flags:
  -c, --config <path>  The file.
      --version        The version.
  -h, --help           Print this page.

panewatch COMMAND --help tells of a command.
`);
});

test("a command's help page has its arguments, and no other command", () => {
  expect(renderHelp(EXPLAIN, PAGES)).toBe(`Tell why.

Usage: panewatch explain PANE [MORE...] [flags]

Arguments:
  PANE       A pane.
  [MORE...]  Others.

Flags:
  -c, --config <path>  The file.
  -h, --help           Print this page.
`);
});
