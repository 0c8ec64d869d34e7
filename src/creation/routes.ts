import { AppError, isDoubtful } from "../errors.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { KeyedLock, RequestLimit, Semaphore } from "../lib/lock.ts";
import { CreateRequest, type CreationRoot, CreationHost } from "../protocol/creation.ts";
import { ENDPOINT_LIST } from "../protocol/endpoints.ts";
import { actByOf, type Handlers, type RequestFacts, type Slice } from "../slice.ts";
import { Creation, type CreationDeps } from "./creation.ts";
import { Resume, type ResumeDeps } from "./resume.ts";
import { localDisk, resolveRoots } from "./roots.ts";
import { remoteDisk, type RemotePlace } from "./remote.ts";

interface CreationSliceDeps
  extends Omit<CreationDeps, "disk" | "lock" | "roots">, Omit<ResumeDeps, "creation"> {
  hasSessions: () => boolean;
  /** As configured; `creationSlice` makes them canonical. */
  roots: readonly CreationRoot[];
  remote: {
    /** Null where no host of that name is watched. */
    named(name: string): RemotePlace | null;
    /** Null for a pane of this machine. */
    of(paneId: string): RemotePlace | null;
  };
  ledger: Pick<Ledger, "act">;
}

export async function creationSlice(deps: CreationSliceDeps): Promise<Slice> {
  const { roots, remote, session, hasSessions, clock, ledger, ...rest } = deps;
  const creation = new Creation({
    ...rest,
    disk: localDisk,
    lock: new Semaphore(1),
    roots: rest.enabled ? await resolveRoots(localDisk, roots, rest.log) : [],
  });
  const locks = new KeyedLock();
  // Made for one request: another machine may have the name by the next one.
  const creationOn = async ({ name, run, ...place }: RemotePlace) => {
    const disk = remoteDisk(run);
    const canResolve = rest.enabled && place.muxUnavailable() === null;
    // Not logged: the reply tells where no root can be used.
    const realRoots = canResolve
      ? await resolveRoots(disk, place.roots, { warn: () => {} })
      : place.roots;
    const lock = { run: <T>(work: () => Promise<T>) => locks.run(name, work) };
    return new Creation({ ...rest, ...place, disk, lock, roots: realRoots });
  };
  return {
    name: "creation",
    routes: creationRoutes({
      ledger,
      here: creation,
      resume: new Resume({ creation, session, clock }),
      async named(name) {
        if (name === undefined) return creation;
        const place = remote.named(name);
        if (!place) throw new AppError("not_found", `no host is watched as ${name}`);
        return creationOn(place);
      },
      async of(paneId) {
        const place = remote.of(paneId);
        return place ? creationOn(place) : creation;
      },
    }),
    capabilities: () => {
      const capability = creation.capability();
      const { enabled } = capability;
      return {
        mux_create_v1: capability,
        pane_close_v1: { version: 1, enabled, all: rest.closes === "all" },
        ...(enabled && hasSessions() ? { session_resume_v1: { version: 1 } } : {}),
      };
    },
  };
}

const NOT_SUPPORTED = "The watched multiplexer is only monitored and answered.";

/** For a provider that cannot create: the paths exist and refuse. */
export function noCreationSlice(): Slice {
  const refuse = () => {
    throw new AppError("unavailable", NOT_SUPPORTED);
  };
  const names = ENDPOINT_LIST.filter(({ path }) => path.startsWith("/api/mux/"));
  return {
    name: "creation",
    routes: Object.fromEntries(names.map(({ method, path }) => [`${method} ${path}`, refuse])),
    before: refuse,
    capabilities: () => ({
      mux_create_v1: { version: 1, supported: false, enabled: false, reason: NOT_SUPPORTED },
    }),
  };
}

/** Another machine runs several scripts for each look, and its processes are read in the same turn. */
const MAX_LOOKS = { ofOne: 8, ofAll: 16, retryAfterSeconds: 5 };

interface CreationRoutesDeps {
  here: Creation;
  resume: Resume;
  /** Undefined is this machine. @throws AppError not_found */
  named(host: string | undefined): Promise<Creation>;
  of(paneId: string): Promise<Creation>;
  ledger: Pick<Ledger, "act">;
}

export function creationRoutes(deps: CreationRoutesDeps): Handlers {
  const { here, resume, named, of, ledger } = deps;
  const looks = new RequestLimit("too many requests wait for the disk", MAX_LOOKS);
  /** Success counts as confirmed: creation and closing check their pane. */
  const record = async <T>(
    facts: RequestFacts,
    { kind, label, id }: { kind: "create" | "close"; label: string; id: string },
    work: () => Promise<T>,
  ): Promise<T> => {
    const by = actByOf(facts);
    const act = ledger.act({ kind, input: { label }, id, by, target: "", identity: null });
    await act.begin(null);
    try {
      const result = await work();
      act.end("confirmed");
      return result;
    } catch (error) {
      // A refusal means that nothing was done or all was undone, unless it is doubtful.
      act.failed(error, !(error instanceof AppError) || isDoubtful(error));
      throw error;
    }
  };
  return {
    "GET /api/mux/creation": (c) =>
      looks.run(actByOf(c.env).grant, async () => (await named(c.req.valid("query").host)).state()),
    "GET /api/mux/directories": (c) =>
      looks.run(actByOf(c.env).grant, async () => {
        const { host, path } = c.req.valid("query");
        const creation = await named(host);
        creation.requireEnabled();
        if (path === undefined) throw new AppError("invalid", "path is missing");
        return creation.browse(path);
      }),
    "POST /api/mux/create": async (c) => {
      const body = c.req.valid("json");
      const { host, parent_pane_id } = CreationHost.safeParse(body).data ?? {};
      const creation = await (host === undefined ? of(parent_pane_id ?? "") : named(host));
      creation.requireEnabled();
      // 400 with a fixed sentence instead of the schema's issues.
      const { data: request } = CreateRequest.safeParse(body);
      if (!request) throw new AppError("invalid", "the creation request is not valid");
      const what = { kind: "create", label: request.runtime, id: parent_pane_id ?? "" } as const;
      return c.json(await record(c.env, what, () => creation.create(request)), 201);
    },
    "GET /api/mux/message": (c) => here.firstMessage(c.req.valid("query").id),
    "GET /api/mux/resume": (c) => resume.look(c.req.valid("query").agent_id),
    "POST /api/mux/resume": async (c) => {
      const { agent_id } = c.req.valid("json");
      const what = { kind: "create", label: `session ${agent_id}`, id: "" } as const;
      return c.json(await record(c.env, what, () => resume.resume(agent_id)), 201);
    },
    "POST /api/mux/close": async (c) => {
      const { id } = c.req.valid("json");
      const creation = await of(id);
      await record(c.env, { kind: "close", label: "", id }, () => creation.close(id));
    },
  };
}
