import { Hono } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { AppError } from "../errors.ts";
import type { Log } from "../lib/log.ts";
import type { Routes, Slice } from "../slice.ts";
import { bearerOf, type TokenCheck } from "./auth.ts";
import { requireDeclaredOnce } from "./endpoints.ts";
import { errorReply, refusal, requestName, SAFETY_HEADERS } from "./errors.ts";
import { ForeignHostError, type OriginRules, requireOwnOrigin } from "./origin.ts";
import { isOpenedByPerson, refusedPage } from "./refused-page.ts";
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
    if (grant.access === "read" && !isLook(c.req.method, c.req.path))
      throw new AppError("forbidden", "this token only looks: server.token may act");
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
    const isRefused = reply.status === 401 || error instanceof ForeignHostError;
    if (!isRefused || !isOpenedByPerson(c.req.method, c.req.raw.headers)) return reply;
    return refusedPage(reply, c.req.header("host") ?? "");
  });
  return app;
}

/** Whether a request changes nothing: what a token for reading may ask for. */
function isLook(method: string, path: string): boolean {
  return method === "GET" || method === "HEAD" || path === "/api/explain";
}

function notUpgraded(): Response {
  return refusal("this is a WebSocket", 426, { upgrade: "websocket" });
}

function wrongMethod(allowed: readonly string[]): Response {
  return refusal("method not allowed", 405, { allow: allowed.join(", ") });
}
