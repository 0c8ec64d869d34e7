import { expect, test } from "bun:test";
import fc from "fast-check";
import { forAll, forAllInTime } from "./laws.ts";
import { runs } from "./thorough.ts";

test("a law that one value breaks fails with it, and is tried as often as it says", async () => {
  const least = (n: number) => n < 7;
  expect(() => forAll([fc.nat(50)], least)).toThrow("Counterexample: [7]");
  const broken = forAllInTime([fc.nat(50)], 100, async (n) => least(n));
  await expect(broken).rejects.toThrow("Counterexample: [7]");
  let tried = 0;
  forAll([fc.nat()], 30, () => void tried++);
  expect(tried).toBe(runs(30));
});
