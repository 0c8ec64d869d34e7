import { Hono } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import type { Log } from "../lib/log.ts";
import type { Routes, Slice } from "../slice.ts";
import { bearerOf, requireSameUser, type TokenCheck } from "./auth.ts";
import { requireDeclaredOnce } from "./endpoints.ts";
import { errorReply, refusal, requestName, SAFETY_HEADERS } from "./errors.ts";
import { ForeignHostError, ForwardedError, type OriginRules, requireOwnOrigin } from "./origin.ts";
import { isOpenedByPerson, refusedPage } from "./refused-page.ts";
import { requireScope } from "./scopes.ts";
import { assetReply, type Assets } from "./static.ts";

export interface HttpAppDeps {
  /** Asked for each request: addresses and the token come and go. */
  origins: () => OriginRules;
  tokens: TokenCheck;
  assets: Assets;
  slices: readonly Slice[];
  log: Log;
}

/**
 * The HTTP app: access checks, the slices' routes, the web client.
 * @throws Error when two slices declare one path with one method.
 */
export function httpApp(deps: HttpAppDeps): Routes {
  const { origins, tokens, assets, slices, log } = deps;
  const app: Routes = new Hono();

  app.use(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(SAFETY_HEADERS)) c.header(name, value);
    if (!c.res.headers.has("cache-control")) c.header("cache-control", "no-store");
    // Bun drops the body of a HEAD reply and would announce a length of 0.
    if (c.req.method === "HEAD" && c.res.body) {
      const { byteLength } = await c.res.clone().arrayBuffer();
      c.header("content-length", String(byteLength));
    }
  });
  // Finds the allowed methods of a path in the routes themselves.
  app.use(methodNotAllowed({ app, onMethodNotAllowed: (_, methods) => wrongMethod(methods) }));
  app.use(async (c, next) => {
    requireOwnOrigin(c.req.raw.headers, origins());
    await next();
  });
  for (const { openRoutes } of slices) if (openRoutes) app.route("/", openRoutes);
  app.use("/api/*", async (c, next) => {
    const grant = tokens.require(bearerOf(c.req.header("authorization")), c.env.peer);
    requireSameUser(grant, c.env.isOtherUser);
    requireScope(grant, c.req.method, c.req.path);
    c.env.grant = grant;
    c.env.trusted?.();
    await next();
  });
  for (const { routes, sockets = [] } of slices) {
    if (routes) app.route("/", routes);
    for (const { path } of sockets) app.get(path, notUpgraded);
  }
  requireDeclaredOnce(slices);

  app.notFound((c) => {
    const asset = assets.get(c.req.path);
    if (!asset) return refusal("not found", 404);
    if (c.req.method === "GET" || c.req.method === "HEAD")
      return assetReply(c.req.path, asset, c.req.raw);
    return wrongMethod(["GET", "HEAD"]);
  });
  app.onError((error, c) => {
    const reply = errorReply(error, requestName(c.req.method, c.req.path, c.env.peer), log);
    const isRefused =
      reply.status === 401 || error instanceof ForeignHostError || error instanceof ForwardedError;
    if (!isRefused || !isOpenedByPerson(c.req.method, c.req.raw.headers)) return reply;
    return refusedPage(reply, c.req.header("host") ?? "");
  });
  return app;
}

function notUpgraded(): Response {
  return refusal("this is a WebSocket", 426, { upgrade: "websocket" });
}

function wrongMethod(allowed: readonly string[]): Response {
  return refusal("method not allowed", 405, { allow: allowed.join(", ") });
}
