import { expect, test } from "bun:test";
import { z } from "zod";
import { lazyObject } from "../../src/lib/lazy.ts";

test("a lazy object is made at its first read, once, and acts as the object", () => {
  let count = 0;
  const Name = lazyObject(() => {
    count++;
    return z.string().min(1);
  });
  const Person = lazyObject(() => z.object({ name: Name, nick: Name.optional() }));
  expect(count).toBe(0);
  expect(Person.parse({ name: "Ada" })).toEqual({ name: "Ada" });
  expect(Person.safeParse({ name: "" }).success).toBeFalse();
  expect(z.array(Name).parse(["Ada"])).toEqual(["Ada"]);
  expect(Name instanceof z.ZodString && "_zod" in Name).toBeTrue();
  expect(count).toBe(1);
});
