import { Hono } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { AppError } from "../errors.ts";
import type { Log } from "../lib/log.ts";
import { ENDPOINT_LIST } from "../protocol/endpoints.ts";
import { allows, type Scope } from "../protocol/scope.ts";
import { addRoutes, type Grant, type Routes, type Slice } from "../slice.ts";
import { bearerOf, requireSameUser, type TokenCheck } from "./auth.ts";
import {
  BadTokenError,
  errorReply,
  isOpenedByPerson,
  refusalReply,
  refusedPage,
  requestName,
  SAFETY_HEADERS,
} from "./errors.ts";
import { NotOpenError, type OriginRules, requireOwnOrigin } from "./origin.ts";
import { assetReply, type Assets } from "./static.ts";

interface HttpAppDeps {
  /** Called for each request: addresses and the token change. */
  origins: () => OriginRules;
  tokens: TokenCheck;
  assets: () => Promise<Assets>;
  slices: readonly Slice[];
  log: Log;
}

/** Access checks, the slices' routes, the web client. */
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
  for (const { routes = {} } of slices) addRoutes(app, { routes }, true);
  app.use("/api/*", async (c, next) => {
    const grant = tokens.require(bearerOf(c.req.header("authorization")), c.env.peer);
    requireSameUser(grant, c.env.isOtherUser);
    requireScope(grant, c.req.method, c.req.path);
    c.env.grant = grant;
    c.env.onTrusted?.();
    const { onBodyRead } = c.env;
    // While a slow body arrives, its sender may be signed out or lose scope.
    c.env.onBodyRead = () => {
      onBodyRead?.();
      const now = tokens.current(grant);
      if (now === null) throw new BadTokenError(true);
      requireScope(now, c.req.method, c.req.path);
      c.env.grant = now;
    };
    await next();
  });
  for (const slice of slices) {
    addRoutes(app, slice);
    for (const { path } of slice.sockets ?? [])
      app.get(path, () => refusalReply("this is a WebSocket", 426, { upgrade: "websocket" }));
  }

  app.notFound(async (c) => {
    const asset = (await assets()).get(c.req.path);
    if (!asset) return refusalReply("not found", 404);
    if (c.req.method === "GET" || c.req.method === "HEAD")
      return assetReply(c.req.path, asset, c.req.raw);
    return wrongMethod(["GET", "HEAD"]);
  });
  app.onError((error, c) => {
    const reply = errorReply(error, requestName(c.req.method, c.req.path, c.env.peer), log);
    const isRefused = reply.status === 401 || error instanceof NotOpenError;
    if (!isRefused || !isOpenedByPerson(c.req.method, c.req.raw.headers)) return reply;
    return refusedPage(reply, c.req.header("host") ?? "");
  });
  return app;
}

function wrongMethod(allowed: readonly string[]): Response {
  return refusalReply("method not allowed", 405, { allow: allowed.join(", ") });
}

const RULES = ENDPOINT_LIST.map(({ method, path, scope }) => {
  return { method, scope, pattern: new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`) };
});

/** @throws AppError forbidden, with the scope that is missing */
function requireScope({ scope, name }: Grant, verb: string, path: string): void {
  const method = verb === "HEAD" ? "GET" : verb;
  const rule = RULES.find((each) => each.method === method && each.pattern.test(path));
  // A path without a rule is the owner's alone.
  const needed = rule?.scope ?? (method === "GET" ? "look" : "own");
  if (!allows(scope, needed))
    throw new AppError("forbidden", `${name} may ${MAY[scope]}: this needs ${needed}`);
}

const MAY: Readonly<Record<Scope, string>> = {
  look: "look and not act",
  answer: "look and answer prompts",
  type: "type into panes, and not change what is set up",
  own: "do everything",
};
