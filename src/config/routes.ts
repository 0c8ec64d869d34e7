import { AppError } from "../errors.ts";
import type { ConfigReply, Info } from "../protocol/config.ts";
import { allows } from "../protocol/scope.ts";
import { ANYBODY, type Grant, type Handlers, type RequestFacts, type Slice } from "../slice.ts";
import { FORM_FIELDS } from "./fields.ts";
import type { Settings } from "./settings.ts";

interface ConfigRoutesDeps {
  settings: Settings;
  info: () => Info;
  /** Called after each change by a request; the reply waits for its effects. */
  patched: () => void | Promise<void>;
  /** False: the agent workspace cannot run here, and its switch stays off. */
  hasWorkspace: boolean;
  record: {
    changed(
      facts: RequestFacts,
      event: { kind: "settings_changed"; what: string; sentence: string },
    ): void;
  };
}

export function configSlice(deps: ConfigRoutesDeps): Slice {
  const { settings, info, patched, hasWorkspace, record } = deps;
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
  const routes: Handlers = {
    "GET /api/config": (c) => reply(c.env),
    "PATCH /api/config": async (c) => {
      const body = c.req.valid("json");
      if (!hasWorkspace && body.experimental_agent_workspace_enabled === true)
        throw new AppError("invalid", "the agent workspace works with provider mux only");
      const live = await settings.patch(body);
      // Unknown keys were ignored.
      const keys = Object.keys(body).filter((key) => Object.hasOwn(live, key));
      const what = keys.join(", ");
      const sentence = `settings (${what}) were changed`;
      if (what) record.changed(c.env, { kind: "settings_changed", what, sentence });
      await patched();
      return reply(c.env);
    },
  };
  return { name: "config", routes };
}

function grantInfo({ id, name, scope }: Grant): Pick<Info, "grant" | "access"> {
  return { grant: { id, name, scope }, access: scope === "look" ? "read" : "all" };
}
