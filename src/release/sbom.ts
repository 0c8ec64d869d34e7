interface LockedPackage {
  version?: string;
  integrity?: string;
  license?: string;
  dev?: boolean;
}

/** Part of every executable, though the lock file calls it a development dependency. */
const RUNTIME = ["bun"];
const FOLDER = "node_modules/";

/** The bill of materials of an executable, from the lock file of npm: CycloneDX 1.6, JSON. */
export function bomOf(lock: { packages: Record<string, LockedPackage> }, version: string): object {
  const components = Object.entries(lock.packages)
    .filter(([path]) => path.startsWith(FOLDER))
    .map(([path, facts]) => ({ name: path.split(FOLDER).at(-1) ?? "", ...facts }))
    .filter(({ name, dev }) => !dev || RUNTIME.includes(name));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        ...{ type: "application", "bom-ref": `panewatch@${version}`, name: "panewatch", version },
        licenses: [{ license: { id: "MIT" } }],
      },
    },
    components: components.map((one) => {
      const purl = `pkg:npm/${one.name.replace("@", "%40")}@${one.version ?? ""}`;
      return {
        ...{ type: "library", "bom-ref": purl, name: one.name, version: one.version ?? "", purl },
        ...(one.license ? { licenses: [{ expression: one.license }] } : {}),
        ...(one.integrity ? { hashes: [hashOf(one.integrity)] } : {}),
      };
    }),
  };
}

/** `sha512-<base64>`, as npm writes it. */
function hashOf(integrity: string): { alg: string; content: string } {
  const [name = "", sum = ""] = integrity.split("-");
  return {
    alg: name.toUpperCase().replace(/^SHA/, "SHA-"),
    content: Buffer.from(sum, "base64").toString("hex"),
  };
}
