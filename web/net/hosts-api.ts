import type { CheckHostReply, HostsReply, HostState } from "../../src/protocol/hosts.ts";
import type { Api, Result } from "./api.ts";

/** The server itself gives up after 20 s, and says at which step. */
const CHECK_MS = 25_000;

/** What is asked about the machines that are watched; what they are comes with the state. */
export class HostsApi {
  readonly #api: Api;
  constructor(api: Api) {
    this.#api = api;
  }

  list = (signal: AbortSignal) => this.#ask<HostsReply>("GET", "", undefined, { signal });
  add = (name: string, ssh: string) => this.#ask<HostState>("POST", "", { name, ssh });
  check = (ssh: string, signal: AbortSignal) =>
    this.#ask<CheckHostReply>("POST", "/check", { ssh }, { signal, timeoutMs: CHECK_MS });
  watch = (name: string, watch: boolean) => this.#ask("PATCH", `/${name}`, { watch });
  remove = (name: string) => this.#ask("DELETE", `/${name}`);
  retry = (name: string) => this.#ask("POST", `/${name}/retry`);

  #ask<T>(
    method: string,
    path: string,
    body?: object,
    options: { readonly signal?: AbortSignal; readonly timeoutMs?: number } = {},
  ): Promise<Result<T>> {
    return this.#api.ask(
      method,
      `/api/hosts${path}`,
      (reply) => ({ ok: true, value: reply as T }),
      { body, ...options },
    );
  }
}
