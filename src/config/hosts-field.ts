import { MAX_HOSTS, type HostConfig } from "../protocol/hosts.ts";
import { destinationFault, nameFault } from "./host-names.ts";
import { accepted, isObject, refused, shown, type Declared, type Field } from "./field.ts";
import { roots, unknownKeys, withoutNulls } from "./structured.ts";

const ROOTS = roots({ default: [], help: "" });

/** Machines that are watched over ssh. */
export function hosts(declared: Declared<readonly HostConfig[]>): Field<readonly HostConfig[]> {
  return {
    ...declared,
    allowed: "a list of {name, ssh, watch, roots}; ssh is a destination as ssh takes it",
    read(raw, context) {
      const { key } = context;
      if (!Array.isArray(raw)) return refused(`${key} must be a list`);
      if (raw.length > MAX_HOSTS) return refused(`too many hosts (max ${MAX_HOSTS})`, [MAX_HOSTS]);
      const notes: string[] = [];
      const result: HostConfig[] = [];
      for (const [index, item] of raw.entries()) {
        if (!isObject(item)) return refused(`${key} must be a list of {name, ssh}`, [index]);
        const { name, ssh, watch = true, roots: folders } = withoutNulls(item);
        if (typeof name !== "string") return refused("name must be text", [index, "name"]);
        if (typeof ssh !== "string") return refused("ssh must be text", [index, "ssh"]);
        if (typeof watch !== "boolean") return refused("watch must be a boolean", [index, "watch"]);
        const badName = nameFault(name);
        if (badName) return refused(`name ${badName}: ${shown(name)}`, [index, "name"]);
        const badPlace = destinationFault(ssh);
        if (badPlace) return refused(`ssh ${badPlace}: ${shown(ssh)}`, [index, "ssh"]);
        if (result.some((host) => host.name === name))
          return refused(`two hosts are called ${name}`, [index, "name"]);
        notes.push(...unknownKeys(item, ["name", "ssh", "watch", "roots"], `[${index}]`));
        if (folders === undefined) {
          result.push({ name, ssh, watch });
          continue;
        }
        const read = ROOTS.read(folders, { ...context, key: "roots" });
        if ("refused" in read) return refused(read.refused, [index, "roots", ...read.at]);
        notes.push(...read.notes);
        result.push({ name, ssh, watch, roots: [...read.value] });
      }
      return accepted(result, ...notes);
    },
  };
}
