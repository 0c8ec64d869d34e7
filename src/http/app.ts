import { Hono } from "hono";
import { type ConfigRoutesDeps, configRoutes } from "../config/routes.ts";
import { type ConnectionRoutesDeps, connectionRoutes } from "../connections/routes.ts";
import { type CreationRoutesDeps, creationRoutes } from "../creation/routes.ts";
import { AppError } from "../errors.ts";
import { type ImageRoutesDeps, imageRoutes } from "../images/routes.ts";
import { exchangeRoutes, type PairingRoutesDeps, pairingRoutes } from "../pairing/routes.ts";
import { type InputRoutesDeps, inputRoutes } from "../input/routes.ts";
import type { Log } from "../lib/log.ts";
import { type TerminalRoutesDeps, terminalRoutes } from "../terminal/routes.ts";
import { type UsageRoutesDeps, usageRoutes } from "../usage/routes.ts";
import { bearerOf, type TokenCheck } from "./auth.ts";
import { findEndpoint } from "./endpoints.ts";
import { errorReply, refusal, SAFETY_HEADERS } from "./errors.ts";
import { type OriginRules, requireOwnOrigin } from "./origin.ts";
import { assetReply, type Assets } from "./static.ts";

export interface HttpAppDeps {
  origins: OriginRules;
  tokens: TokenCheck;
  assets: Assets;
  log: Log;
  terminal: TerminalRoutesDeps;
  input: InputRoutesDeps;
  config: ConfigRoutesDeps;
  connections: ConnectionRoutesDeps;
  /** Parts that may be absent: their paths are not found then. */
  images?: ImageRoutesDeps;
  creation?: CreationRoutesDeps;
  pairing?: PairingRoutesDeps;
  usage?: UsageRoutesDeps;
  /** Called after each successful `PATCH /api/config`. */
  configChanged(): void;
}

/** What the server tells of a request beside the request itself. */
export interface RequestFacts {
  peer: string;
}

type HttpApp = Hono<{ Bindings: RequestFacts }>;

/** Every HTTP answer of the service: who may ask, the slices' routes, the web client. */
export function httpApp(deps: HttpAppDeps): HttpApp {
  const { origins, tokens, assets, log } = deps;
  const app: HttpApp = new Hono();

  app.use(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(SAFETY_HEADERS)) c.header(name, value);
    if (!c.res.headers.has("cache-control")) c.header("cache-control", "no-store");
    // Behind this the body is left out; for the length of none Bun would say 0.
    if (c.req.method === "HEAD" && c.res.body) {
      const { byteLength } = await c.res.clone().arrayBuffer();
      c.header("content-length", String(byteLength));
    }
  });
  app.use(async (c, next) => {
    requireOwnOrigin(c.req.raw.headers, origins);
    await next();
  });
  // Before the tokens: who pairs has none yet.
  if (deps.pairing) app.route("/", exchangeRoutes(deps.pairing));
  app.use("/api/*", async (c, next) => {
    tokens.require(bearerOf(c.req.header("authorization")), c.env.peer);
    await next();
  });

  app.use("/api/config", async (c, next) => {
    await next();
    if (c.req.method === "PATCH" && c.res.ok) deps.configChanged();
  });

  app.route("/", terminalRoutes(deps.terminal));
  app.route("/", inputRoutes(deps.input));
  app.route("/", configRoutes(deps.config));
  app.route("/", connectionRoutes(deps.connections));
  if (deps.images) app.route("/", imageRoutes(deps.images));
  if (deps.creation) app.route("/", creationRoutes(deps.creation));
  if (deps.pairing) app.route("/", pairingRoutes(deps.pairing));
  if (deps.usage) app.route("/", usageRoutes(deps.usage));

  app.notFound((c) => {
    const asset = assets.get(c.req.path);
    if (!asset) return unrouted(c.req.method, c.req.path);
    if (c.req.method === "GET" || c.req.method === "HEAD")
      return assetReply(c.req.path, asset, c.req.raw);
    return wrongMethod(["GET", "HEAD"]);
  });
  app.onError((error, c) => errorReply(error, `${c.req.method} ${c.req.path}`, log));
  return app;
}

/** No route took it: a socket's path, a wrong method, a part that does not run, or nothing. */
function unrouted(method: string, path: string): Response {
  if (path === "/ws" || path === "/ws/agents") {
    if (method !== "GET") return wrongMethod(["GET"]);
    return refusal("this is a WebSocket", 426, { upgrade: "websocket" });
  }
  const endpoint = findEndpoint(path);
  if (endpoint && !endpoint.methods.includes(method)) return wrongMethod(endpoint.methods);
  if (endpoint?.part === "agents") throw new AppError("unavailable", "agent context is disabled");
  throw new AppError("not_found", "not found");
}

function wrongMethod(allowed: readonly string[]): Response {
  return refusal("method not allowed", 405, { allow: allowed.join(", ") });
}
