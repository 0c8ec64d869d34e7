import { MAX_HOSTS, type HostConfig } from "../protocol/hosts.ts";
import { destinationFault, nameFault } from "./checks.ts";
import { accepted, isObject, refused, shown, type Declared, type Field } from "./field.ts";
import { roots, unknownKeys, withoutNulls } from "./structured.ts";

const KEYS = ["name", "ssh", "watch", "roots", "disable_auto_rename"];
const ROOTS = roots({ default: [], help: "" });

export function hosts(declared: Declared<readonly HostConfig[]>): Field<readonly HostConfig[]> {
  return {
    ...declared,
    kind: "hosts",
    allowed:
      "a list of {name, ssh, watch, roots, disable_auto_rename}; ssh is a destination as ssh takes it",
    read(raw, context) {
      const { key } = context;
      if (!Array.isArray(raw)) return refused(`${key} must be a list`);
      if (raw.length > MAX_HOSTS) return refused(`too many hosts (max ${MAX_HOSTS})`, [MAX_HOSTS]);
      const notes: string[] = [];
      const result: HostConfig[] = [];
      for (const [index, item] of raw.entries()) {
        if (!isObject(item)) return refused(`${key} must be a list of {name, ssh}`, [index]);
        const { name, ssh, watch = true, roots: folders, ...more } = withoutNulls(item);
        const { disable_auto_rename } = more;
        if (typeof name !== "string") return refused("name must be text", [index, "name"]);
        if (typeof ssh !== "string") return refused("ssh must be text", [index, "ssh"]);
        if (typeof watch !== "boolean") return refused("watch must be a boolean", [index, "watch"]);
        if (disable_auto_rename !== undefined && typeof disable_auto_rename !== "boolean")
          return refused("disable_auto_rename must be a boolean", [index, "disable_auto_rename"]);
        const badName = nameFault(name);
        if (badName) return refused(`name ${badName}: ${shown(name)}`, [index, "name"]);
        const badPlace = destinationFault(ssh);
        if (badPlace) return refused(`ssh ${badPlace}: ${shown(ssh)}`, [index, "ssh"]);
        if (result.some((host) => host.name === name))
          return refused(`two hosts are called ${name}`, [index, "name"]);
        notes.push(...unknownKeys(item, KEYS, `[${index}]`));
        const host = { name, ssh, watch, ...(disable_auto_rename ? { disable_auto_rename } : {}) };
        if (folders === undefined) {
          result.push(host);
          continue;
        }
        const read = ROOTS.read(folders, { ...context, key: "roots" });
        if ("refused" in read) return refused(read.refused, [index, "roots", ...read.at]);
        notes.push(...read.notes);
        result.push({ ...host, roots: [...read.value] });
      }
      return accepted(result, ...notes);
    },
  };
}
