import { AppError } from "../errors.ts";
import type { Log } from "../lib/log.ts";
import type { ActBy } from "../protocol/act.ts";
import type { ConfigReply, Info } from "../protocol/config.ts";
import { allows } from "../protocol/scope.ts";
import {
  ANYBODY,
  askedBy,
  type Grant,
  type Handlers,
  type RequestFacts,
  type Slice,
  whoAsks,
} from "../slice.ts";
import { FORM_FIELDS } from "./fields.ts";
import type { Settings } from "./settings.ts";

interface ConfigRoutesDeps {
  settings: Settings;
  info: () => Info;
  /** Called after each change by a request; the reply waits for what it has to bring about. */
  patched: () => void | Promise<void>;
  /** False: the agent workspace cannot run here, and its switch stays off. */
  hasWorkspace: boolean;
  /** Told of the keys that were changed, and by whom. */
  record: { note(event: { kind: "settings_changed"; what: string; by: ActBy }): void };
  log: Pick<Log, "info">;
}

export function configSlice(deps: ConfigRoutesDeps): Slice {
  return { name: "config", routes: configRoutes(deps) };
}

export function configRoutes(deps: ConfigRoutesDeps): Handlers {
  const { settings, info, patched, hasWorkspace, record, log } = deps;
  const reply = ({ grant }: RequestFacts): ConfigReply => {
    const live = settings.live();
    const isOn = hasWorkspace && live.experimental_agent_workspace_enabled;
    return {
      ...live,
      experimental_agent_workspace_enabled: isOn,
      ...(allows((grant ?? ANYBODY).scope, "own") ? { fields: FORM_FIELDS } : {}),
      _info: { ...info(), ...(grant ? grantInfo(grant) : {}) },
    };
  };
  return {
    "GET /api/config": (c) => c.json(reply(c.env)),
    "PATCH /api/config": async (c) => {
      const body = c.req.valid("json");
      if (!hasWorkspace && body.experimental_agent_workspace_enabled === true)
        throw new AppError("invalid", "the agent workspace works with provider mux only");
      await settings.patch(body);
      const keys = Object.keys(body).join(", ");
      log.info(`access: settings changed by ${whoAsks(c.env)}: ${keys}`);
      record.note({ kind: "settings_changed", what: keys.slice(0, 400), by: askedBy(c.env) });
      await patched();
      return c.json(reply(c.env));
    },
  };
}

function grantInfo({ id, name, scope }: Grant): Pick<Info, "grant" | "access"> {
  return { grant: { id, name, scope }, access: scope === "look" ? "read" : "all" };
}
