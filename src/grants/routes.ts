import type { Credentials } from "../config/credentials.ts";
import type { StoredGrant } from "../config/stored-access.ts";
import { AppError } from "../errors.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Log } from "../lib/log.ts";
import type { GrantRemoval, GrantsReply, GrantState } from "../protocol/access.ts";
import { allows } from "../protocol/scope.ts";
import { ANYBODY, type Grant, type Handlers, type RequestFacts, type Slice } from "../slice.ts";

interface GrantsDeps {
  credentials: Credentials;
  sockets: (id: string) => number;
  alerts: (key: string) => number;
  record: Pick<Ledger, "changed">;
  log: Pick<Log, "warn">;
}

/** Between two times that last uses are written and unused devices are removed. */
const TEND_MS = 3_600_000;

export function grantsSlice(deps: GrantsDeps): Slice {
  const { credentials, log } = deps;
  const tend = () =>
    credentials.tend().catch((error: unknown) => {
      log.warn(`access: when devices were used last is not kept: ${String(error)}`);
    });
  let timer: ReturnType<typeof setInterval> | null = null;
  return {
    name: "grants",
    routes: grantRoutes(deps),
    capabilities: () => ({ grants_v1: { version: 1 } }),
    async start() {
      timer = setInterval(() => void tend(), TEND_MS);
      await tend();
    },
    async stop() {
      if (timer) clearInterval(timer);
      await tend();
    },
  };
}

function grantRoutes(deps: GrantsDeps): Handlers {
  const { credentials, record } = deps;
  const stateOf = (grant: Grant): GrantState => {
    const device = credentials.devices.find(({ id }) => id === grant.id);
    const use = credentials.useOf(grant.id);
    const tokenMade = grant.id === "token" ? credentials.tokenMade : null;
    const { id, name, scope } = grant;
    return {
      ...{ id, name, scope, by: device?.by ?? tokenMade?.by ?? null },
      created_at: device?.created_at ?? tokenMade?.at ?? null,
      last_used_at: use?.at ?? device?.last_used_at ?? null,
      last_address: use?.address ?? device?.last_address ?? null,
      ...{ sockets: deps.sockets(id), push: deps.alerts(grant.key) },
      expires_at: device?.expires_at ?? null,
    };
  };
  const require = (id: string): GrantState => {
    const grant = credentials.grants.find((one) => one.id === id);
    if (!grant) throw new AppError("not_found", "no such grant");
    return stateOf(grant);
  };
  return {
    "GET /api/grants": () =>
      ({ grants: credentials.grants.map((grant) => stateOf(grant)) }) satisfies GrantsReply,
    "GET /api/grants/self": (c) => stateOf(c.env.grant ?? ANYBODY),
    "PATCH /api/grants/:id": async (c) => {
      const before = requireDevice(require(c.req.param("id")));
      await credentials.changeDevice(before.id, c.req.valid("json"));
      const now = require(before.id);
      const what = `${now.name} (${now.scope})`;
      const sentence = `${before.name} (${before.scope}) is ${what}`;
      record.changed(c.env, { kind: "grant_changed", what, sentence });
      return now;
    },
    // Signing out: a client that came in with the token itself has no grant that could be removed.
    "DELETE /api/grants/self": async (c) => {
      const id = c.env.grant?.id ?? ANYBODY.id;
      if (credentials.devices.some((device) => device.id === id))
        return removeGrant(deps, c.env, id);
      return { ok: true, removed: [], let_in: [], may_know_token: false } satisfies GrantRemoval;
    },
    "DELETE /api/grants/:id": async (c) => {
      const { id } = requireDevice(require(c.req.param("id")));
      return removeGrant(deps, c.env, id, c.req.valid("json").also_let_in);
    },
    // For clients of `phone_v1`.
    "DELETE /api/phone/devices/:id": async (c) => {
      await removeGrant(deps, c.env, c.req.param("id"));
    },
  };
}

async function removeGrant(
  { credentials, record }: Pick<GrantsDeps, "credentials" | "record">,
  facts: RequestFacts,
  id: string,
  alsoLetIn = false,
): Promise<GrantRemoval> {
  const { removed, letIn } = await credentials.removeDevice(id, { alsoLetIn });
  for (const { name, scope } of removed) {
    const what = `${name} (${scope})`;
    record.changed(facts, { kind: "grant_removed", what, sentence: `${what} was removed` });
  }
  const named = ({ id: one, name }: StoredGrant) => ({ id: one, name });
  return {
    ok: true,
    removed: removed.map(named),
    let_in: letIn.map(named),
    // A device that can type into a shell can print the token there.
    may_know_token: removed.some(({ scope }) => allows(scope, "type")),
  };
}

/** @throws AppError conflict for what signs in and is no device */
function requireDevice(grant: GrantState): GrantState {
  if (grant.expires_at === null)
    throw new AppError("conflict", `${grant.name} is no device: only devices are changed here`);
  return grant;
}
