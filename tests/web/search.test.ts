import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { markFound, rankMatch, searchWords } from "../../web/model/search.ts";

const rank = (query: string, ...texts: string[]) => rankMatch(searchWords(query), texts);

describe("search", () => {
  test("every word must be found somewhere, without case and accents", () => {
    expect(rank("cafe API", "Café", "api")).not.toBeNull();
    expect(rank("cafe web", "Café", "api")).toBeNull();
  });

  test("the start of the name beats its middle, which beats the place", () => {
    const [start, part, middle, place] = [
      rank("mi", "migrate", ""),
      rank("mi", "checkout-migration", ""),
      rank("mi", "rate-limits", ""),
      rank("mi", "ios-build", "mobile"),
    ];
    // "mobile" has no "mi": not found at all.
    expect(place).toBeNull();
    expect(rank("mo", "ios-build", "mobile")).toBeGreaterThan(middle ?? 0);
    expect([start, part, middle]).toEqual([0, 1, 2]);
  });

  test("what was found is marked in the text as it is written", () => {
    expect(markFound("checkout-Migration", ["mi"])).toEqual([
      { text: "checkout-", isFound: false },
      { text: "Mi", isFound: true },
      { text: "gration", isFound: false },
    ]);
    expect(markFound("Café", ["fe"])).toEqual([
      { text: "Ca", isFound: false },
      { text: "fé", isFound: true },
    ]);
  });

  test("marking never changes the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (text, query) => {
        const parts = markFound(text, searchWords(query));
        expect(parts.map((part) => part.text).join("")).toBe(text);
      }),
    );
  });
});
