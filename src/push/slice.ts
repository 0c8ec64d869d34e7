import { setTimeout } from "node:timers/promises";
import { topicWarning } from "../config/checks.ts";
import type { Credentials } from "../config/credentials.ts";
import type { Config } from "../config/fields.ts";
import { AppError, StartupError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { firstCharacters } from "../protocol/characters.ts";
import { ConfiguredKind, type PushInfo } from "../protocol/push.ts";
import { allows } from "../protocol/scope.ts";
import { ANYBODY, type Grant, type Handlers, type RequestFacts, type Slice } from "../slice.ts";
import { APNS_URLS } from "./apns.ts";
import { senderOf } from "./channels.ts";
import { addressOf, type Device, publicDevice } from "./device.ts";
import { Devices } from "./devices.ts";
import { Http2Link } from "./outgoing.ts";
import { Push, type PushDeps } from "./push.ts";
import { ProviderToken, readSetup, Vapid } from "./signing.ts";
import { areReceiverKeys, contactOf, isPushEndpoint } from "./web-push.ts";

interface PushSliceDeps extends Pick<PushDeps, "hub" | "quotaThreshold" | "cards" | "isBatched"> {
  config: Config;
  stateDir: string;
  instanceId: string;
  access: Pick<Credentials, "holds" | "subscribe" | "owner">;
  clock: Clock;
  log: Log;
}

/** @throws StartupError for a configuration that cannot work */
export async function openPush(deps: PushSliceDeps): Promise<{ slice: Slice; push: Push }> {
  const { config, stateDir, instanceId, access, clock, log } = deps;
  const publicUrls = config["server.public_urls"];
  const contact = (origin: string) =>
    contactOf({ contact: config["push.contact"], publicUrls }, origin);
  const setup = await readSetup(config);
  const ntfyUrl = config["push.ntfy_url"];
  const webhookUrl = config["push.webhook_url"];
  for (const warning of [setup.problem, topicWarning(ntfyUrl)])
    if (warning !== "") log.warn(warning);
  const vapid = await Vapid.open(stateDir, { clock, log });
  const urls = { ntfy: ntfyUrl, webhook: webhookUrl };
  const devices = await Devices.open({
    ...{ stateDir, access, clock, log },
    configured: new Set(ConfiguredKind.options.filter((kind) => urls[kind] !== "")),
    onError: config["push.on_error"],
  });
  const apnsUrl = config["push.apns_url"] || APNS_URLS[config["push.environment"]];
  const token = setup.key && new ProviderToken(setup.key, clock);
  const extraHosts = config["push.web_push_hosts"];
  const pageOrigin = contactOf({ contact: "", publicUrls }, "");
  const secret = config["push.webhook_secret"];
  if (webhookUrl !== "" && secret === "")
    // Its receiver could not verify the sender.
    throw new StartupError("push.webhook_url needs push.webhook_secret, which signs");
  const link = new Http2Link(apnsUrl);
  const channels = {
    apns: token && { link, topic: config["push.push_topic"], token, instanceId, clock },
    web: { vapid, contact, extraHosts },
    webhook: webhookUrl === "" ? null : { url: webhookUrl, secret, instanceId, clock },
    ntfy: ntfyUrl === "" ? null : { url: ntfyUrl, token: config["push.ntfy_token"], pageOrigin },
  };
  const push = new Push({
    ...deps,
    ...{ devices, pause },
    senderOf: (device) => senderOf(channels, device),
    rules: { cooldown: config["push.cooldown"], dwell: config["push.dwell"] },
  });
  const info = (): PushInfo => {
    const available = setup.key !== null;
    const { isConfigured: configured } = setup;
    return { configured, available, enabled: available, devices: devices.count };
  };
  const hosts = { apns: hostOf(apnsUrl), ntfy: hostOf(ntfyUrl), webhook: hostOf(webhookUrl) };
  const slice: Slice = {
    name: "push",
    routes: pushRoutes({ push, devices, info, extraHosts, contact, hosts }),
    info: () => ({ push: info() }),
    capabilities() {
      // Without a configured contact the origin of a page that was opened over https is used.
      const web_push =
        contact("") !== null ||
        devices.all.some((device) => device.kind === "web" && contact(device.origin) !== null);
      const reasons = [setup.problem, web_push ? "" : NO_CONTACT, vapid.problem];
      return {
        web_push_v1: {
          ...{ version: 1, web_push, ntfy: ntfyUrl !== "", public_key: vapid.publicKey },
          reasons: reasons.filter((reason) => reason !== ""),
        },
      };
    },
    async stop() {
      unfollow();
      await push.stop();
      link.close();
      await vapid.saved();
    },
  };
  const follow = () =>
    devices
      .keepOnly((grant) => access.holds(grant))
      .catch((error: unknown) => log.error("alerts of a removed device go on", error));
  const unfollow = access.subscribe(() => void follow());
  // Grants may have been removed while the list of devices could not be written.
  await follow();
  return { slice, push };
}

export const PUSH_OFF: PushInfo = {
  configured: false,
  available: false,
  enabled: false,
  devices: 0,
};

const NO_CONTACT =
  "without push.contact, only pages that were opened over https can register for Web Push";

function hostOf(url: string): string {
  return url === "" ? "" : new URL(url).host;
}

/** Resolves early when the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal, ref: false }).catch(() => undefined);
}

interface PushRoutesDeps {
  push: Push;
  devices: Devices;
  info: () => PushInfo;
  extraHosts: readonly string[];
  contact: (origin: string) => string | null;
  hosts: { apns: string; ntfy: string; webhook: string };
}

const MAX_NAME_CHARS = 80;
const MAX_PLATFORM_CHARS = 20;
const TOKEN = /^[0-9a-f]{16,200}$/i;

function pushRoutes(deps: PushRoutesDeps): Handlers {
  const { push, devices, info, extraHosts, contact, hosts } = deps;

  const find = (address: string) => devices.all.find((device) => addressOf(device) === address);
  const remove = async (device: Device | undefined) => ({
    ok: true,
    removed: device !== undefined && (await devices.remove(device.id)),
  });
  const shown = (device: Device, { key }: Grant) => publicDevice(device, hosts, key);

  return {
    "POST /api/push/register": async (c) => {
      const { token, name, platform, contextual } = c.req.valid("json");
      if (!TOKEN.test(token)) throw new AppError("invalid", "bad device token");
      const { isNew } = await devices.register({
        kind: "apns",
        // A token in another spelling is the same.
        token: token.toLowerCase(),
        name: firstCharacters(name, MAX_NAME_CHARS),
        platform: firstCharacters(platform, MAX_PLATFORM_CHARS),
        contextual,
        grant: asking(c).key,
      });
      return { ...info(), ok: true, registered: true, new: isNew };
    },
    "POST /api/push/unregister": (c) => remove(find(c.req.valid("json").token.toLowerCase())),
    "POST /api/push/web/register": async (c) => {
      const { subscription, name, preferences, replaces } = c.req.valid("json");
      if (!isPushEndpoint(subscription.endpoint, extraHosts))
        throw new AppError("invalid", "cannot register: the endpoint is at no known push service");
      if (!areReceiverKeys(subscription.keys))
        throw new AppError("invalid", "cannot register: these are no keys of a subscription");
      const origin = c.req.header("origin") ?? "";
      if (contact(origin) === null)
        throw new AppError("conflict", "cannot register: push.contact is not configured");
      const { id, isNew } = await devices.register({
        kind: "web",
        subscription,
        name: firstCharacters(name, MAX_NAME_CHARS),
        origin,
        grant: asking(c).key,
        preferences,
        // A device of another grant is not replaced.
        replaces: push.isOwn(replaces ?? "", asking(c)) ? replaces : undefined,
      });
      // What began while it had no endpoint is due.
      push.reconsider(id);
      return { ok: true, id, new: isNew };
    },
    "POST /api/push/web/unregister": (c) => remove(find(c.req.valid("json").endpoint)),
    "GET /api/push/devices": (c) => ({
      devices: devices.all.map((device) => shown(device, asking(c))),
    }),
    "PATCH /api/push/devices/:id": async (c) => {
      const { id } = requireOwn(asking(c), devices.require(c.req.param("id")));
      const device = await devices.setPreferences(id, c.req.valid("json").preferences);
      push.reconsider(id);
      return shown(device, asking(c));
    },
    "DELETE /api/push/devices/:id": async (c) => {
      const device = requireOwn(asking(c), devices.require(c.req.param("id")));
      if (device.grant === null)
        throw new AppError(
          "conflict",
          `cannot remove ${device.kind}: it is set in the configuration`,
        );
      return await remove(device);
    },
    "POST /api/push/devices/:id/test": (c) =>
      push.test(requireOwn(asking(c), devices.require(c.req.param("id")))),
    "GET /api/push/log": () => ({ log: push.log }),
  };
}

const asking = ({ env: { grant = ANYBODY } }: { env: RequestFacts }): Grant => grant;

/** @throws AppError forbidden for the device of another grant, except to owners */
function requireOwn(grant: Grant, device: Device): Device {
  if (device.grant === grant.key || allows(grant.scope, "own")) return device;
  throw new AppError("forbidden", `${grant.name} did not register it: this needs own`);
}
