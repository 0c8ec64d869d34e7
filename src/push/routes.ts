import { Hono } from "hono";
import { AppError } from "../errors.ts";
import { validJson } from "../lib/valid.ts";
import { firstCharacters } from "../protocol/characters.ts";
import {
  PreferencesPatch,
  type PushInfo,
  RegisterRequest,
  UnregisterRequest,
  WebRegisterRequest,
  type WebSubscription,
  WebUnregisterRequest,
} from "../protocol/push.ts";
import type { Routes } from "../slice.ts";
import { publicDevice } from "./device.ts";
import type { Devices } from "./devices.ts";
import type { Push } from "./push.ts";
import { areReceiverKeys } from "./web-encrypt.ts";
import { isPushEndpoint } from "./web-push.ts";

export interface PushRoutesDeps {
  push: Push;
  devices: Devices;
  info: () => PushInfo;
  /** `push.web_push_hosts`. */
  extraHosts: readonly string[];
  /** Whom a push service may reach, given the page's origin. */
  contact: (origin: string) => string | null;
  /** Hosts that replies name for devices without an endpoint of their own. */
  hosts: { apns: string; ntfy: string; webhook: string };
}

const MAX_NAME_CHARS = 80;
const MAX_PLATFORM_CHARS = 20;
const TOKEN = /^[0-9a-f]{16,200}$/i;

export function pushRoutes(deps: PushRoutesDeps): Routes {
  const { push, devices, info, hosts } = deps;
  const app: Routes = new Hono();

  app.post("/api/push/register", validJson(RegisterRequest), async (c) => {
    const { token, name, platform, contextual } = c.req.valid("json");
    const isNew = await devices.registerNative({
      token: requireToken(token),
      name: firstCharacters(name, MAX_NAME_CHARS),
      platform: firstCharacters(platform, MAX_PLATFORM_CHARS),
      contextual,
    });
    return c.json({ ...info(), ok: true, registered: true, new: isNew });
  });

  app.post("/api/push/unregister", validJson(UnregisterRequest), async (c) => {
    const token = c.req.valid("json").token.toLowerCase();
    const known = devices.all.find(({ kind, record }) => kind === "apns" && record.token === token);
    return c.json({ ok: true, removed: await remove(known?.id ?? null) });
  });

  app.post("/api/push/web/register", validJson(WebRegisterRequest), async (c) => {
    const { subscription, name, preferences, replaces } = c.req.valid("json");
    requireSubscription(subscription, deps);
    const origin = c.req.header("origin") ?? "";
    if (deps.contact(origin) === null)
      throw new AppError("conflict", "cannot register: push.contact is not configured");
    const { id, isNew } = await devices.registerWeb({
      subscription,
      name: firstCharacters(name, MAX_NAME_CHARS),
      origin,
      preferences,
      replaces,
    });
    return c.json({ ok: true, id, new: isNew });
  });

  app.post("/api/push/web/unregister", validJson(WebUnregisterRequest), async (c) => {
    const { endpoint } = c.req.valid("json");
    const known = devices.all.find(
      (device) => device.kind === "web" && device.record.subscription.endpoint === endpoint,
    );
    return c.json({ ok: true, removed: await remove(known?.id ?? null) });
  });

  app.get("/api/push/devices", (c) =>
    c.json({ devices: devices.all.map((device) => publicDevice(device, hosts)) }),
  );

  app.patch("/api/push/devices/:id", validJson(PreferencesPatch), async (c) => {
    const { id } = devices.require(c.req.param("id"));
    const device = await devices.setPreferences(id, c.req.valid("json").preferences);
    push.reconsider(id);
    return c.json(publicDevice(device, hosts));
  });

  app.delete("/api/push/devices/:id", async (c) => {
    const device = devices.require(c.req.param("id"));
    if (device.kind === "ntfy" || device.kind === "webhook")
      throw new AppError(
        "conflict",
        `cannot remove ${device.kind}: it is set in the configuration`,
      );
    return c.json({ ok: true, removed: await remove(device.id) });
  });

  app.post("/api/push/devices/:id/test", async (c) =>
    c.json(await push.test(devices.require(c.req.param("id")))),
  );

  app.get("/api/push/log", (c) => c.json({ log: push.log }));

  async function remove(id: string | null): Promise<boolean> {
    if (id === null || !(await devices.remove(id))) return false;
    push.forget(id);
    return true;
  }

  return app;
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
