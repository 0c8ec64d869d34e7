import type { Request } from "./answers.ts";

/** The events of the double: all that are subscribed, and a new title. */
export const SUBSCRIPTIONS = [
  ...["workspace.renamed", "tab.renamed", "pane.created", "pane.closed", "pane.updated"],
  ...["pane.moved", "pane.exited", "pane.agent_detected", "pane.agent_status_changed"],
];

const TEXT = { type: "string" };
const object = (properties: Record<string, unknown>, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
});
const ref = (name: string) => ({ $ref: `#/schemas/request/$defs/${name}` });
const KEYS = { type: "array", items: TEXT };

const DEFS = {
  EmptyParams: { type: "object" },
  PaneTarget: object({ pane_id: TEXT }),
  PaneReadParams: object(
    {
      pane_id: TEXT,
      source: ref("ReadSource"),
      lines: { type: ["integer", "null"] },
      format: { ...ref("ReadFormat"), default: "text" },
    },
    ["pane_id", "source"],
  ),
  PaneSendTextParams: object({ pane_id: TEXT, text: TEXT }),
  PaneSendKeysParams: object({ pane_id: TEXT, keys: KEYS }),
  AgentSendKeysParams: object({ target: TEXT, keys: KEYS }),
  ReadSource: { enum: ["visible", "recent", "recent_unwrapped", "detection"], ...TEXT },
  ReadFormat: { enum: ["text", "ansi"], ...TEXT },
};
/** The methods that a watcher uses, with their parameters. */
const METHODS: Readonly<Record<string, keyof typeof DEFS>> = {
  ping: "EmptyParams",
  "session.snapshot": "EmptyParams",
  "pane.get": "PaneTarget",
  "pane.process_info": "PaneTarget",
  "pane.read": "PaneReadParams",
  "pane.send_text": "PaneSendTextParams",
  "pane.send_keys": "PaneSendKeysParams",
  "agent.send_keys": "AgentSendKeysParams",
  "events.subscribe": "EmptyParams",
};

/** Why a server cannot read a request; null where it can. */
export function misfit({ method, params }: Request): string | null {
  const name = METHODS[method];
  if (name === undefined) return `unknown variant \`${method}\``;
  const { required = [] } = Object.assign<{ required?: string[] }, object>({}, DEFS[name]);
  const missing = required.find((each) => !(each in params));
  return missing === undefined ? null : `missing field \`${missing}\``;
}

/** The real schema, reduced to what a client looks for. */
export const SCHEMA = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Herdr API",
  schema_version: 1,
  protocol: 20,
  schemas: {
    error_response: {},
    event: {},
    request: {
      oneOf: Object.entries(METHODS).map(([method, params]) => ({
        properties: { method: { const: method, type: "string" }, params: ref(params) },
      })),
      $defs: {
        ...DEFS,
        Subscription: {
          oneOf: SUBSCRIPTIONS.map((type) => ({ properties: { type: { const: type } } })),
        },
      },
    },
    subscription_event: {},
    success_response: {},
  },
};
