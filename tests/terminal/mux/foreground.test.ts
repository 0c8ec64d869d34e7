import { expect, test } from "bun:test";
import { chainOf, parseProcessTable } from "../../../src/terminal/mux/foreground.ts";

// `ps -A -o pid=,ppid=,pgid=,tpgid=,command=`: the pane's shell 100 has started npx in front, which
// started a shell and node in its own group; a tool of node runs in a group of its own.
const TABLE = `
  100    1   100  200 -zsh
  200  100   200  200 npm exec some-agent
  201  200   200  200 sh -c some-agent --flag
  202  201   200  200 node /usr/lib/some-agent/cli.js --flag
  300  202   300  200 git status
  400  100   400  200 sleep 100
  500    1   500   -1 /usr/sbin/daemon
no process line
`;

test("the chain goes from the foreground leader down inside its group", () => {
  expect(chainOf(parseProcessTable(TABLE), 100)).toEqual([
    ["npm", "exec", "some-agent"],
    ["sh", "-c", "some-agent", "--flag"],
    ["node", "/usr/lib/some-agent/cli.js", "--flag"],
  ]);
});

test("a process without a terminal, or one that is gone, has none", () => {
  const rows = parseProcessTable(TABLE);
  expect(chainOf(rows, 500)).toEqual([]);
  expect(chainOf(rows, 999)).toEqual([]);
});

test("a chain is bounded, also when it runs in a circle", () => {
  const circle = "10 11 10 10 a\n11 10 10 10 b\n";
  expect(chainOf(parseProcessTable(circle), 10)).toHaveLength(4);
});
