import { deviceName } from "../../model/browser-name.ts";
import type { Server } from "./server.ts";

/** `unreachable`: nobody knows whether it was good. */
export type SignInResult = "ok" | "refused" | "unreachable";

/** Tries a token; it is kept when the server accepts it. */
export async function signIn(server: Server, token: string): Promise<SignInResult> {
  const before = server.token.get();
  server.token.set(token);
  const loaded = await server.config.load();
  if (loaded === "ok" || loaded === "incompatible") {
    server.link.start();
    return "ok";
  }
  server.token.set(before);
  return loaded === "unauthorized" ? "refused" : "unreachable";
}

/** Signs in with a single-use code; what it was before stays where that fails. */
export async function pair(server: Server, code: string): Promise<SignInResult> {
  server.invitation.value = null;
  const name = deviceName(server.browser.window.navigator.userAgent);
  const result = await server.api.call("POST /api/pair", { json: { code, name } });
  if (!result.ok) return result.failure.kind === "lost" ? "unreachable" : "refused";
  server.token.set(result.value.token);
  return "ok";
}
