import { AppError } from "../errors.ts";
import { firstCharacters } from "../protocol/characters.ts";
import type { PushInfo, WebSubscription } from "../protocol/push.ts";
import { allows } from "../protocol/scope.ts";
import { ANYBODY, type Grant, type Handlers, type RequestFacts } from "../slice.ts";
import { type Device, grantOf, publicDevice } from "./device.ts";
import type { Devices } from "./devices.ts";
import type { Push } from "./push.ts";
import { areReceiverKeys, isPushEndpoint } from "./web-push.ts";

interface PushRoutesDeps {
  push: Push;
  devices: Devices;
  info: () => PushInfo;
  extraHosts: readonly string[];
  contact: (origin: string) => string | null;
  /** Hosts that replies name for devices without an endpoint of their own. */
  hosts: { apns: string; ntfy: string; webhook: string };
}

const MAX_NAME_CHARS = 80;
const MAX_PLATFORM_CHARS = 20;
const TOKEN = /^[0-9a-f]{16,200}$/i;

export function pushRoutes(deps: PushRoutesDeps): Handlers {
  const { push, devices, info, hosts } = deps;

  async function remove(id: string | null): Promise<boolean> {
    if (id === null || !(await devices.remove(id))) return false;
    push.forget(id);
    return true;
  }

  return {
    "POST /api/push/register": async (c) => {
      const { token, name, platform, contextual } = c.req.valid("json");
      const isNew = await devices.registerNative({
        token: requireToken(token),
        name: firstCharacters(name, MAX_NAME_CHARS),
        platform: firstCharacters(platform, MAX_PLATFORM_CHARS),
        contextual,
        grant: asking(c.env).key,
      });
      return c.json({ ...info(), ok: true, registered: true, new: isNew });
    },
    "POST /api/push/unregister": async (c) => {
      const token = c.req.valid("json").token.toLowerCase();
      const known = devices.all.find(
        ({ kind, record }) => kind === "apns" && record.token === token,
      );
      return c.json({ ok: true, removed: await remove(known?.id ?? null) });
    },
    "POST /api/push/web/register": async (c) => {
      const { subscription, name, preferences, replaces } = c.req.valid("json");
      requireSubscription(subscription, deps);
      const origin = c.req.header("origin") ?? "";
      if (deps.contact(origin) === null)
        throw new AppError("conflict", "cannot register: push.contact is not configured");
      const { id, isNew } = await devices.registerWeb({
        subscription,
        name: firstCharacters(name, MAX_NAME_CHARS),
        origin,
        grant: asking(c.env).key,
        preferences,
        // One that another has registered is not to be taken from it.
        replaces: push.isOwn(replaces ?? "", asking(c.env)) ? replaces : undefined,
      });
      return c.json({ ok: true, id, new: isNew });
    },
    "POST /api/push/web/unregister": async (c) => {
      const { endpoint } = c.req.valid("json");
      const known = devices.all.find(
        (device) => device.kind === "web" && device.record.subscription.endpoint === endpoint,
      );
      return c.json({ ok: true, removed: await remove(known?.id ?? null) });
    },
    "GET /api/push/devices": (c) =>
      c.json({
        devices: devices.all.map((device) => publicDevice(device, hosts, asking(c.env).key)),
      }),
    "PATCH /api/push/devices/:id": async (c) => {
      const { id } = requireOwn(c.env, devices.require(c.req.param("id")));
      const device = await devices.setPreferences(id, c.req.valid("json").preferences);
      push.reconsider(id);
      return c.json(publicDevice(device, hosts, asking(c.env).key));
    },
    "DELETE /api/push/devices/:id": async (c) => {
      const device = requireOwn(c.env, devices.require(c.req.param("id")));
      if (device.kind === "ntfy" || device.kind === "webhook")
        throw new AppError(
          "conflict",
          `cannot remove ${device.kind}: it is set in the configuration`,
        );
      return c.json({ ok: true, removed: await remove(device.id) });
    },
    "POST /api/push/devices/:id/test": async (c) =>
      c.json(await push.test(requireOwn(c.env, devices.require(c.req.param("id"))))),
    "GET /api/push/log": (c) => c.json({ log: push.log }),
  };
}

const asking = ({ grant = ANYBODY }: RequestFacts): Grant => grant;

/**
 * Alerts of others are the owner's to change.
 * @throws AppError forbidden
 */
function requireOwn({ grant = ANYBODY }: RequestFacts, device: Device): Device {
  if (grantOf(device) === grant.key || allows(grant.scope, "own")) return device;
  throw new AppError("forbidden", `${grant.name} did not register it: this needs own`);
}

/** One spelling, so that a token is registered once. */
function requireToken(token: string): string {
  if (!TOKEN.test(token)) throw new AppError("invalid", "bad device token");
  return token.toLowerCase();
}

function requireSubscription(
  { endpoint, keys }: WebSubscription,
  { extraHosts }: PushRoutesDeps,
): void {
  if (!isPushEndpoint(endpoint, extraHosts))
    throw new AppError("invalid", "cannot register: the endpoint is at no known push service");
  if (!areReceiverKeys(keys))
    throw new AppError("invalid", "cannot register: these are no keys of a subscription");
}
