import { deviceName } from "../../model/browser-name.ts";
import type { Server } from "./server.ts";

/** `unreachable`: whether the credential is good is not known. */
export type SignInResult = "ok" | "refused" | "unreachable";

/** The token is stored only if the server accepts it. */
export async function signIn(server: Server, token: string): Promise<SignInResult> {
  const before = server.token.get();
  server.token.set(token);
  const loaded = await server.config.load();
  if (loaded === "ok" || loaded === "incompatible") {
    server.link.start();
    return "ok";
  }
  // Another one may have come meanwhile, by a link or in another tab.
  if (server.token.get() === token) server.token.set(before);
  return loaded === "unauthorized" ? "refused" : "unreachable";
}

/** With a single-use code; on failure the old token stays. */
export async function pair(server: Server, code: string): Promise<SignInResult> {
  const name = deviceName(server.browser.window.navigator.userAgent);
  const result = await server.api.call("POST /api/pair", { json: { code, name } });
  // The invitation may still be good.
  if (!result.ok && result.failure.kind === "lost") return "unreachable";
  server.invitation.value = null;
  if (!result.ok) return "refused";
  server.token.set(result.value.token);
  return "ok";
}
