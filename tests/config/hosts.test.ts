import { expect, test } from "bun:test";
import { parseOverlay, readField, renderOverlay } from "../../src/config/resolve.ts";

const read = (raw: unknown) => readField("hosts", raw, { name: "hosts", brands: true });

test("a host is read with its name and destination, and is watched unless watch is false", () => {
  const raw = [
    { name: "gpu-1", ssh: "gpu-1" },
    { name: "build", ssh: "ssh://me@box:2222", watch: false },
  ];
  expect(read(raw)).toEqual({
    value: [{ ...raw[0], watch: true }, raw[1]],
    notes: [],
  });
});

test.each([
  ["hosts must be a list", {}],
  ["hosts must be a list of {name, ssh}", ["gpu-1"]],
  ["name must be 1 to 32", [{ name: "GPU", ssh: "x" }]],
  ["name must not be local", [{ name: "local", ssh: "x" }]],
  ["ssh must not begin with -", [{ name: "a", ssh: "-oProxyCommand=x" }]],
  ["ssh must not hold blanks", [{ name: "a", ssh: "a b" }]],
  ["ssh must be text", [{ name: "a" }]],
  ["watch must be a boolean", [{ name: "a", ssh: "x", watch: "no" }]],
  [
    "two hosts are called a",
    [
      { name: "a", ssh: "x" },
      { name: "a", ssh: "y" },
    ],
  ],
  ["too many hosts", Array.from({ length: 33 }, (_, index) => ({ name: `h${index}`, ssh: "x" }))],
])("hosts are refused: %s", (why, raw) => {
  expect(read(raw)).toMatchObject({ refused: expect.stringContaining(why) });
});

test("saved hosts are read and written with all their members", () => {
  const hosts = [{ name: "gpu-1", ssh: "gpu-1", watch: true, disable_auto_rename: true }];
  expect(parseOverlay({ hosts })).toEqual({ layer: { hosts }, warnings: [] });
  expect(renderOverlay({ hosts })).toEqual({ hosts });
});
