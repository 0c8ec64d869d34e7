import { expect, test } from "bun:test";
import { withOverride } from "../../web/model/config.ts";

const starred = { target: "a:1.1", name: "", kind: null, star: true };

test("a name keeps the star, and an entry with nothing set goes", () => {
  const named = withOverride([starred], "a:1.1", { name: "first" });
  expect(named).toEqual([{ ...starred, name: "first" }]);
  const plain = withOverride(named, "a:1.1", { star: false });
  expect(withOverride(plain, "a:1.1", { name: "" })).toEqual([]);
  expect(withOverride([], "b:1.1", { name: "" })).toEqual([]);
  expect(withOverride([starred], "b:1.1", { kind: "shell" })).toEqual([
    starred,
    { target: "b:1.1", name: "", kind: "shell", star: false },
  ]);
});
