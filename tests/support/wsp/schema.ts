/** Methods that the real schema names, in its order. */
const METHODS = [
  "ping",
  "server.stop",
  "server.live_handoff",
  "server.reload_config",
  "server.agent_manifests",
  "server.reload_agent_manifests",
  "notification.show",
  "client.window_title.set",
  "client.window_title.clear",
  "session.snapshot",
  "workspace.create",
  "workspace.list",
  "workspace.get",
  "workspace.focus",
  "workspace.rename",
  "workspace.move",
  "workspace.move_block",
  "workspace.report_metadata",
  "workspace.close",
  "worktree.list",
  "worktree.create",
  "worktree.open",
  "worktree.remove",
  "tab.create",
  "tab.list",
  "tab.get",
  "tab.focus",
  "tab.rename",
  "tab.move",
  "tab.close",
  "agent.list",
  "agent.get",
  "agent.read",
  "agent.explain",
  "agent.send_keys",
  "agent.rename",
  "agent.view.set",
  "agent.view.clear",
  "agent.focus",
  "agent.start",
  "agent.prompt",
  "agent.wait",
  "pane.split",
  "pane.swap",
  "pane.move",
  "pane.zoom",
  "pane.layout",
  "pane.process_info",
  "layout.export",
  "layout.apply",
  "layout.set_split_ratio",
  "pane.neighbor",
  "pane.edges",
  "pane.focus_direction",
  "pane.resize",
  "pane.list",
  "pane.current",
  "pane.get",
  "pane.focus",
  "pane.input.set",
  "pane.rename",
  "pane.send_text",
  "pane.send_keys",
  "pane.send_input",
  "pane.read",
  "pane.graphics.set",
  "pane.graphics.clear",
  "pane.graphics.info",
  "pane.report_agent",
  "pane.report_agent_session",
  "pane.report_metadata",
  "pane.clear_agent_authority",
  "pane.release_agent",
  "pane.close",
  "popup.close",
  "events.subscribe",
  "events.wait",
  "pane.wait_for_output",
  "integration.install",
  "integration.uninstall",
  "plugin.link",
  "plugin.list",
  "plugin.unlink",
  "plugin.enable",
  "plugin.disable",
  "plugin.action.list",
  "plugin.action.invoke",
  "plugin.log.list",
  "plugin.pane.open",
  "plugin.pane.focus",
  "plugin.pane.close",
];

export const SUBSCRIPTIONS = [
  "workspace.created",
  "workspace.updated",
  "workspace.metadata_updated",
  "workspace.renamed",
  "workspace.moved",
  "workspace.reordered",
  "workspace.closed",
  "workspace.focused",
  "worktree.created",
  "worktree.opened",
  "worktree.removed",
  "tab.created",
  "tab.closed",
  "tab.focused",
  "tab.renamed",
  "tab.moved",
  "pane.created",
  "pane.closed",
  "pane.updated",
  "pane.focused",
  "pane.moved",
  "pane.exited",
  "pane.agent_detected",
  "pane.output_matched",
  "pane.agent_status_changed",
  "pane.scroll_changed",
  "layout.updated",
];

const TEXT = { type: "string" };
const object = (properties: Record<string, unknown>, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
});
const ref = (name: string) => ({ $ref: `#/schemas/request/$defs/${name}` });
const KEYS = { type: "array", items: TEXT };

/** What the methods take that a watcher uses; of the others the names alone. */
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
const PARAMS: Readonly<Record<string, keyof typeof DEFS>> = {
  "session.snapshot": "EmptyParams",
  "pane.get": "PaneTarget",
  "pane.process_info": "PaneTarget",
  "pane.read": "PaneReadParams",
  "pane.send_text": "PaneSendTextParams",
  "pane.send_keys": "PaneSendKeysParams",
  "agent.send_keys": "AgentSendKeysParams",
};

/** The real schema in its shape, with only what a client can look for in it. */
export const SCHEMA = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Herdr API",
  schema_version: 1,
  protocol: 20,
  schemas: {
    error_response: {},
    event: {},
    request: {
      oneOf: METHODS.map((method) => ({
        properties: {
          method: { const: method, type: "string" },
          params: ref(PARAMS[method] ?? "EmptyParams"),
        },
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

export const SCHEMA_SUMMARY = `Herdr API schema
protocol: 20
schema_version: 1
schemas: error_response, event, request, subscription_event, success_response

Use \`herdr api schema --json\` to print the full schema.
Use \`herdr api schema --output PATH\` to write it to a file.
`;
