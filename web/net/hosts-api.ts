import type { CheckHostReply, HostsReply, HostState } from "../../src/protocol/hosts.ts";
import type { Api, Result } from "./api.ts";

/** What is asked about the machines that are watched; what they are comes with the state. */
export class HostsApi {
  readonly #api: Api;
  constructor(api: Api) {
    this.#api = api;
  }

  list = (signal: AbortSignal) => this.#ask<HostsReply>("GET", "", undefined, signal);
  add = (name: string, ssh: string) => this.#ask<HostState>("POST", "", { name, ssh });
  check = (ssh: string, signal: AbortSignal) =>
    this.#ask<CheckHostReply>("POST", "/check", { ssh }, signal);
  watch = (name: string, watch: boolean) => this.#ask("PATCH", `/${name}`, { watch });
  remove = (name: string) => this.#ask("DELETE", `/${name}`);
  retry = (name: string) => this.#ask("POST", `/${name}/retry`);

  #ask<T>(method: string, path: string, body?: object, signal?: AbortSignal): Promise<Result<T>> {
    return this.#api.ask(
      method,
      `/api/hosts${path}`,
      (reply) => ({ ok: true, value: reply as T }),
      { body, ...(signal === undefined ? {} : { signal }) },
    );
  }
}
