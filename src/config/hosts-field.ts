import { MAX_HOSTS, type HostConfig } from "../protocol/hosts.ts";
import { destinationFault, nameFault } from "./host-names.ts";
import { accepted, isObject, refused, shown, type Declared, type Field } from "./field.ts";
import { unknownKeys, withoutNulls } from "./structured.ts";

/** Machines that are watched over ssh. */
export function hosts(declared: Declared<readonly HostConfig[]>): Field<readonly HostConfig[]> {
  return {
    ...declared,
    allowed: "a list of {name, ssh, watch}; ssh is a destination as ssh takes it",
    read(raw, { key }) {
      if (!Array.isArray(raw)) return refused(`${key} must be a list`);
      if (raw.length > MAX_HOSTS) return refused(`too many hosts (max ${MAX_HOSTS})`, [MAX_HOSTS]);
      const notes: string[] = [];
      const result: HostConfig[] = [];
      for (const [index, item] of raw.entries()) {
        if (!isObject(item)) return refused(`${key} must be a list of {name, ssh}`, [index]);
        const { name, ssh, watch = true } = withoutNulls(item);
        if (typeof name !== "string") return refused("name must be text", [index, "name"]);
        if (typeof ssh !== "string") return refused("ssh must be text", [index, "ssh"]);
        if (typeof watch !== "boolean") return refused("watch must be a boolean", [index, "watch"]);
        const badName = nameFault(name);
        if (badName) return refused(`name ${badName}: ${shown(name)}`, [index, "name"]);
        const badPlace = destinationFault(ssh);
        if (badPlace) return refused(`ssh ${badPlace}: ${shown(ssh)}`, [index, "ssh"]);
        if (result.some((host) => host.name === name))
          return refused(`two hosts are called ${name}`, [index, "name"]);
        notes.push(...unknownKeys(item, ["name", "ssh", "watch"], `[${index}]`));
        result.push({ name, ssh, watch });
      }
      return accepted(result, ...notes);
    },
  };
}
