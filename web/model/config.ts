import type { ConfigReply } from "../../src/protocol/config.ts";

/**
 * The configuration with what the first screens read of it in its promised shape: one member that is
 * not as it should be costs itself, and not the queue. The rest stays as it came, for the views that
 * show it.
 */
export function readConfig(reply: ConfigReply): ConfigReply {
  const info: Readonly<Record<string, unknown>> = { ...reply._info };
  const { server_instance_id: instance, allowed_keys: keys } = info;
  const read = {
    ...reply._info,
    labels: textsOf(info["labels"]),
    allowed_keys: Array.isArray(keys) ? keys.filter((key) => typeof key === "string") : [],
    capabilities: isRecord(info["capabilities"]) ? info["capabilities"] : {},
  } as ConfigReply["_info"]; // Its members are those of the reply, or empty.
  const _info = typeof instance === "string" ? read : omitInstance(read);
  const { poll_interval } = reply;
  return Number.isFinite(poll_interval)
    ? { ...reply, _info }
    : { ...reply, _info, poll_interval: 1 };
}

/** Version of a capability as it is announced: absent in it means 1, not announced is 0. */
export function versionOf(capability: unknown): number {
  if (!isRecord(capability) || capability["supported"] === false) return 0;
  const { version } = capability;
  if (version === undefined) return 1;
  return typeof version === "number" ? version : 0;
}

function omitInstance(info: ConfigReply["_info"]): ConfigReply["_info"] {
  const { server_instance_id: _, ...rest } = info;
  return rest as ConfigReply["_info"]; // Read as one that did not say it.
}

function textsOf(value: unknown): Record<string, string> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((item): item is [string, string] => typeof item[1] === "string"),
  );
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
