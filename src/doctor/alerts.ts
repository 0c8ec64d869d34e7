import { join } from "node:path";
import { type Check, type DoctorContext, ok, warn } from "./topic.ts";
import { topicWarning } from "../config/checks.ts";
import { parseJson } from "../lib/json.ts";
import { readText } from "../lib/json-file.ts";
import { APNS_URLS } from "../push/apns.ts";
import { DeviceFile, DEVICES_FILE } from "../push/device.ts";
import { type Reach, reach } from "../push/outgoing.ts";
import { readSetup } from "../push/signed-token.ts";
import { contactOf, isPushEndpoint } from "../push/web-push.ts";

/** Push services refuse what a clock further off has signed. */
const MAX_SKEW_SECONDS = 60;

export interface AlertFindings {
  native: { isConfigured: boolean; problem: string };
  contact: string | null;
  devices: { native: number; web: number; hasTopic: boolean };
  /** What the topic's address gives away, or "". */
  topicWarning: string;
  services: readonly { host: string; reach: Reach }[];
}

/** Asks only those push services that something is registered at. */
export async function lookAtAlerts({ config, stateDir }: DoctorContext): Promise<readonly Check[]> {
  const native = await readSetup(config);
  const saved = await readText(join(stateDir, DEVICES_FILE)).catch(() => null);
  const file = DeviceFile.safeParse(saved === null ? {} : parseJson(saved)).data;
  const hosts = config["push.web_push_hosts"];
  const records = file?.records ?? [];
  const web = records
    .flatMap((one) => (one.kind === "web" && one.gone === null ? one.subscription.endpoint : []))
    .filter((endpoint) => isPushEndpoint(endpoint, hosts));
  const topic = config["push.ntfy_url"];
  const apns = config["push.apns_url"] || APNS_URLS[config["push.environment"]];
  const urls = [...(native.isConfigured ? [apns] : []), ...web, ...(topic === "" ? [] : [topic])];
  const origins = [...new Set(urls.map((url) => new URL(url).origin))];
  const services = await Promise.all(
    origins.map(async (origin) => ({ host: new URL(origin).host, reach: await reach(origin) })),
  );
  const publicUrls = config["server.public_urls"];
  return alertChecks({
    native,
    contact: contactOf({ contact: config["push.contact"], publicUrls }, ""),
    devices: {
      native: records.filter(({ kind }) => kind === "apns").length,
      web: web.length,
      hasTopic: topic !== "",
    },
    topicWarning: topicWarning(topic),
    services,
  });
}

export function alertChecks(facts: AlertFindings): Check[] {
  const { native, contact, devices, services } = facts;
  const checks: Check[] = [];
  const { isConfigured, problem } = native;
  if (problem !== "") checks.push(warn(problem, "see docs/push.md; nothing else waits for it"));
  else checks.push(ok(isConfigured ? "native alerts can be signed" : "native alerts: not set up"));
  if (contact !== null) checks.push(ok(`push services may reach ${contact}`));
  else
    checks.push(
      warn(
        "browsers are alerted only where their page came over https: no contact is set",
        "set push.contact, or server.public_urls",
      ),
    );
  const topic = devices.hasTopic ? ", and a topic" : "";
  checks.push(ok(`${devices.native} native and ${devices.web} web devices${topic}`));
  if (facts.topicWarning !== "")
    checks.push(warn(facts.topicWarning, "set push.ntfy_url to an https address"));
  for (const service of services) checks.push(...serviceChecks(service));
  return checks;
}

function serviceChecks({ host, reach: found }: AlertFindings["services"][number]): Check[] {
  if (!found.ok)
    return [warn(`${host} is not reached: ${found.why}`, "check network, proxy and certificates")];
  const { skewSeconds } = found;
  if (skewSeconds === null || Math.abs(skewSeconds) <= MAX_SKEW_SECONDS)
    return [ok(`${host} answers`)];
  const way = skewSeconds > 0 ? "ahead of" : "behind";
  const seconds = Math.abs(Math.round(skewSeconds));
  return [
    warn(
      `the clock is ${seconds} s ${way} ${host}: what it signs is refused`,
      "let it follow a time server",
    ),
  ];
}
