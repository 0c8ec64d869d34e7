import { expect, test } from "bun:test";
import { stateDirFor } from "../../src/config/state-dir.ts";
import { StartupError } from "../../src/errors.ts";

test("the state folder is beside the configuration, and an empty path is refused", () => {
  expect(stateDirFor({ config: "/etc/panewatch/c.yaml" })).toBe("/etc/panewatch");
  // An unset variable of a shell gives an empty path, which must not mean the folder above.
  expect(() => stateDirFor({ config: "" })).toThrow(StartupError);
});
