import { join } from "node:path";
import { topicWarning } from "../config/checks.ts";
import { readText } from "../lib/json-file.ts";
import { parseJson } from "../lib/json.ts";
import { APNS_URLS } from "../push/apns.ts";
import { DeviceFile, DEVICES_FILE } from "../push/device.ts";
import { type Reach, reach } from "../push/outgoing.ts";
import { readSetup } from "../push/signing.ts";
import { contactOf, isPushEndpoint } from "../push/web-push.ts";
import { type Check, type DoctorContext, ok, warn } from "./topic.ts";

/** Push services refuse signatures of a clock that is further off. */
const MAX_SKEW_SECONDS = 60;

/** Connects only to push services of registered devices. */
export async function* examineAlerts({
  config,
  stateDir,
}: DoctorContext): AsyncGenerator<Check, void> {
  const native = await readSetup(config);
  if (native.problem !== "")
    yield warn(native.problem, "see docs/push.md; nothing else waits for it");
  else yield ok(native.isConfigured ? "native alerts can be signed" : "native alerts: not set up");

  const publicUrls = config["server.public_urls"];
  const contact = contactOf({ contact: config["push.contact"], publicUrls }, "");
  yield contact === null
    ? warn(
        "browsers are alerted only where their page came over https: no contact is set",
        "set push.contact, or server.public_urls",
      )
    : ok(`push services may reach ${contact}`);

  const saved = await readText(join(stateDir, DEVICES_FILE)).catch(() => null);
  const file = DeviceFile.safeParse(saved === null ? {} : parseJson(saved)).data;
  const hosts = config["push.web_push_hosts"];
  const records = file?.records ?? [];
  const web = records
    .flatMap((one) => (one.kind === "web" && one.gone === null ? one.subscription.endpoint : []))
    .filter((endpoint) => isPushEndpoint(endpoint, hosts));
  const topic = config["push.ntfy_url"];
  const beside = topic === "" ? "" : ", and a topic";
  const phones = records.filter(({ kind }) => kind === "apns");
  yield ok(`${phones.length} native and ${web.length} web devices${beside}`);
  const warning = topicWarning(topic);
  if (warning !== "") yield warn(warning, "set push.ntfy_url to an https address");

  const apns = config["push.apns_url"] || APNS_URLS[config["push.environment"]];
  const urls = [...web, ...(topic === "" ? [] : [topic])];
  const origins = new Set(urls.map((url) => new URL(url).origin));
  const checkOf = async (origin: string, isHttp2 = false) =>
    pushServiceCheck(new URL(origin).host, await reach(origin, { isHttp2 }));
  yield* await Promise.all([
    ...(native.isConfigured ? [checkOf(new URL(apns).origin, true)] : []),
    ...[...origins].map((origin) => checkOf(origin)),
  ]);
}

export function pushServiceCheck(host: string, found: Reach): Check {
  if (!found.ok)
    return warn(`${host} is not reached: ${found.why}`, "check network, proxy and certificates");
  const { skewSeconds } = found;
  if (skewSeconds === null || Math.abs(skewSeconds) <= MAX_SKEW_SECONDS)
    return ok(`${host} answers`);
  const way = skewSeconds > 0 ? "ahead of" : "behind";
  const seconds = Math.abs(Math.round(skewSeconds));
  return warn(
    `the clock is ${seconds} s ${way} ${host}: what it signs is refused`,
    "let it follow a time server",
  );
}
