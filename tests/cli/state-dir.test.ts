import { expect, test } from "bun:test";
import { stateDirFor } from "../../src/cli/state-dir.ts";
import { StartupError } from "../../src/errors.ts";

test("the state lies beside the configuration, and an empty path is none", () => {
  expect(stateDirFor({ config: "/etc/panewatch/c.yaml" })).toBe("/etc/panewatch");
  // As a shell gives a variable that is not set: the folder above this one holds no state.
  expect(() => stateDirFor({ config: "" })).toThrow(StartupError);
});
