import { expect, test } from "bun:test";
import { join } from "node:path";
import { bomOf } from "../../src/release/sbom.ts";

const ROOT = join(import.meta.dir, "..", "..");

test("the bill of materials names every built-in package, and no development package", async () => {
  const lock = await Bun.file(join(ROOT, "package-lock.json")).json();
  const { dependencies } = await Bun.file(join(ROOT, "package.json")).json();
  const bom = JSON.parse(JSON.stringify(bomOf(lock, "1.2.3")));
  expect(bom).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6" });
  const names: string[] = bom.components.map(({ name }: { name: string }) => name);
  for (const name of [...Object.keys(dependencies), "bun"]) expect(names).toContain(name);
  expect(names).not.toContain("playwright-core");
});

test("a component has its purl, licence and hash", () => {
  const integrity = `sha512-${Buffer.from("sum").toString("base64")}`;
  const packages = {
    "": { version: "1.2.3" },
    "node_modules/@a/b": { version: "2.0.0", license: "MIT", integrity },
    "node_modules/c": { version: "3.0.0", dev: true },
  };
  expect(bomOf({ packages }, "1.2.3")).toMatchObject({
    components: [
      {
        type: "library",
        name: "@a/b",
        purl: "pkg:npm/%40a/b@2.0.0",
        licenses: [{ expression: "MIT" }],
        hashes: [{ alg: "SHA-512", content: "73756d" }],
      },
    ],
  });
});
