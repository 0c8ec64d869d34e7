import { VERBOSITIES } from "../lib/log.ts";
import { urlHost } from "../lib/address.ts";
import { type ConfigField, NamingMode } from "../protocol/config.ts";
import {
  boolean,
  choice,
  type Field,
  integer,
  type LiveKey,
  number,
  text,
  texts,
} from "./field.ts";
import { EXECUTABLE, originFault, SECRET_TOKEN } from "./checks.ts";
import { NAMING_FIELDS } from "./naming-fields.ts";
import { PUSH_FIELDS } from "./push-fields.ts";
import {
  command,
  hosts,
  isHomeOrAbsolute,
  overrides,
  patterns,
  roots,
  runtimes,
} from "./structured-fields.ts";

/** Names of providers in files and flags; the API has contract ids. */
export const PROVIDER_BRANDS = new Map([["tmux", "mux"] as const, ["herdr", "wsp"] as const]);

const homePath = (value: string) =>
  isHomeOrAbsolute(value) ? null : "must be an absolute path, ~ or begin with ~/";
// Every address of this server is made from it: http://[::1]:8787.
const hostFault = (value: string) =>
  URL.canParse(`http://${urlHost(value)}`)
    ? null
    : "must be a host name or an address, IPv6 without brackets";

/** Every setting, by its YAML path, in the order of the reference page. */
export const FIELDS = {
  "server.host": text({
    default: "127.0.0.1",
    flag: "host",
    allowed: "a host name or address",
    check: hostFault,
    help: "Address to listen on. Any address but a loopback one requires a token.",
  }),
  "server.port": integer({
    default: 8787,
    clamp: [0, 65535],
    flag: "port",
    help: "HTTP and WebSocket port. 0 takes a free one, which is printed.",
  }),
  "server.token": text({
    flag: "token",
    ...SECRET_TOKEN,
    help:
      "Bearer token that every client must send; left empty, the one that `panewatch phone` has " +
      "made, if any. On the command line other users of this machine can read it in the process " +
      "list: prefer the file.",
  }),
  "server.read_token": text({
    ...SECRET_TOKEN,
    help:
      "A second token, for those who may look and not act: everything is shown, and nothing is " +
      "sent, changed or created. It needs the other one.",
  }),
  "server.public_urls": texts({
    allowed: "a list of origins such as https://host.example",
    check: originFault,
    help:
      "Addresses under which a proxy publishes this server; their pages may call it. Those that " +
      "`panewatch phone` has set up stand beside them.",
  }),
  "server.log": choice({
    default: "normal",
    of: VERBOSITIES,
    help: "What the log tells: `quiet` only what needs a person, `normal` also what was done and refused.",
  }),

  poll_interval: number({
    default: 0.7,
    clamp: [0.2, 10],
    live: { name: "poll_interval", label: "Poll interval", group: "Watching" },
    help: "Seconds between two passes over the panes.",
  }),
  capture_lines: integer({
    default: 200,
    clamp: [40, 2000],
    live: { name: "capture_lines", label: "Captured lines", group: "Watching" },
    help: "Lines kept of each pane, history and screen together.",
  }),
  naming_mode: choice({
    default: "session_window_pane",
    of: NamingMode.options,
    live: { name: "naming_mode", label: "Names from", group: "Names" },
    help: "Where the name of a pane comes from; `smart` reads it from what the pane does.",
  }),

  "terminal.provider": choice({
    default: "mux",
    of: ["mux", "wsp"],
    brands: PROVIDER_BRANDS,
    flag: "terminal-provider",
    help: "Which program's panes are watched: `mux` (tmux) or `wsp` (herdr).",
  }),
  "terminal.wsp.session": text({
    flag: "wsp-session",
    help: "The running named session to watch; required with provider `wsp`.",
  }),
  "terminal.wsp.binary": text({
    default: "wsp",
    ...EXECUTABLE,
    help: "Executable of provider `wsp`, resolved once at the start; where there is no `wsp`, `herdr`.",
  }),
  "terminal.wsp.events": choice({
    default: "auto",
    of: ["auto", "off"],
    help: "Whether native events of provider `wsp` wake a pass.",
  }),
  "terminal.wsp.reads": choice({
    default: "auto",
    of: ["auto", "cli"],
    help: "How provider `wsp` reads and sends: over the session's socket where it can, or by the executable alone.",
  }),
  "terminal.wsp.accept": choice({
    default: "verified",
    of: ["verified", "untested"],
    help: "Whether a release of herdr that nobody tried is answered too (`untested`) or only watched.",
  }),

  "mux.binary": text({
    default: "tmux",
    ...EXECUTABLE,
    help: "The multiplexer; a plain name is looked up in PATH.",
  }),
  "mux.socket": text({
    allowed: "a socket name, or a path",
    help: "Server to watch: a socket name, a path, or empty for the one that tmux itself takes.",
  }),
  "mux.disable_auto_rename": boolean({
    default: true,
    help: "Switches the multiplexer's global automatic-rename off, so that window names stay put.",
  }),

  hosts: hosts({
    default: [],
    help: "Other machines whose tmux is watched too, over ssh with the keys that it has; mux only.",
  }),

  "local.name": text({
    help: "What this machine is called among the hosts; empty: its own short name.",
  }),
  "local.watch": boolean({
    default: true,
    help: "Watch the tmux of this machine too. False: only its hosts; it then needs no tmux.",
  }),

  "discovery.auto": boolean({
    default: true,
    live: { name: "auto_discover", label: "Show every pane", group: "Watching" },
    help: "Show every pane that is found. False: only those listed under `panes` and those made here.",
  }),
  "discovery.include_shells": boolean({
    default: false,
    live: { name: "include_shells", label: "Show idle shells", group: "Watching" },
    flag: "include-shells",
    help: "Show idle shells as well.",
  }),

  panes: overrides({
    default: [],
    live: { name: "overrides", label: "Names and kinds", group: "Names" },
    help: "Names, kinds and stars for targets; a listed target stays visible when it is gone.",
  }),

  "detectors.generic_prompt_patterns": patterns({
    default: [
      "\\(y/n\\)",
      "\\(y/N\\)",
      "\\[Y/n\\]",
      "\\[y/N\\]",
      "Do you want to",
      "Press enter to",
      "Press \\[enter\\]",
      "Continue\\?",
      "Proceed\\?",
      "\\? \\(y",
      "Overwrite\\?",
    ],
    live: { name: "generic_prompt_patterns", label: "Prompt patterns", group: "Detection" },
    help: "Text that makes a pane wait where no agent's own rule speaks.",
  }),
  "detectors.error_patterns": patterns({
    default: [
      "Traceback \\(most recent call last\\)",
      "^\\s*Error:",
      "^\\s*ERROR\\b",
      "panic:",
      "fatal:",
      "Unhandled exception",
      "command not found",
    ],
    live: { name: "error_patterns", label: "Error patterns", group: "Detection" },
    help: "Text that marks a pane as failed; `^` and `$` match at each line.",
  }),

  experimental_agent_workspace_enabled: boolean({
    default: false,
    live: {
      name: "experimental_agent_workspace_enabled",
      label: "Agent workspace",
      group: "Agents",
    },
    yaml: false,
    help: "Agent context, review and timeline; switched in the settings page or through the API.",
  }),
  "agents.retention_days": integer({
    default: 30,
    clamp: [1, 3650],
    help: "Days that snapshots, messages and resolved decisions are kept.",
  }),
  "agents.agent_a_home": text({
    default: "~/.claude",
    allowed: "an absolute path, ~ or one that begins with ~/",
    check: homePath,
    help: "Data folder of Claude Code; also written `claude_home`.",
  }),
  "agents.agent_b_home": text({
    default: "~/.codex",
    allowed: "an absolute path, ~ or one that begins with ~/",
    check: homePath,
    help: "Data folder of Codex; also written `codex_home`.",
  }),

  "acts.keep_days": integer({
    default: 90,
    clamp: [0, 3650],
    help: "Days that the record of what was sent is kept; 0: in memory alone, until the service ends.",
  }),
  "acts.keep_about": boolean({
    default: true,
    help: "Whether the record on the disk says what was answered.",
  }),

  ...NAMING_FIELDS,

  "usage.enabled": boolean({
    default: false,
    live: { name: "usage_enabled", label: "Collect usage", group: "Usage" },
    help: "Collect token usage and quotas.",
  }),
  "usage.command": command({
    default: ["tokscale"],
    help: "The usage collector. Never run through a shell.",
  }),
  "usage.quota_refresh": number({
    default: 180,
    clamp: [30, 3600],
    live: { name: "usage_quota_refresh", label: "Quota refresh", group: "Usage" },
    help: "Seconds between two looks at the quotas.",
  }),
  "usage.report_refresh": number({
    default: 300,
    clamp: [60, 3600],
    live: { name: "usage_report_refresh", label: "Report refresh", group: "Usage" },
    help: "Seconds between two reports.",
  }),
  "usage.alert_threshold": number({
    default: 20,
    clamp: [0, 100],
    live: { name: "usage_alert_threshold", label: "Warn below", group: "Usage" },
    help: "Percent of a quota left below which the client warns.",
  }),

  ...PUSH_FIELDS,

  "creation.enabled": boolean({
    default: true,
    help: "Let clients create sessions, windows and panes inside `creation.roots`.",
  }),
  "creation.roots": roots({
    default: [{ label: "~", path: "~" }],
    help: "Directories that clients may browse and start programs in.",
  }),
  "creation.close": choice({
    default: "created",
    of: ["created", "all"],
    help: "Which panes clients may close: those that they created, or `all`.",
  }),
  "creation.runtimes": runtimes({
    default: {
      agent_a: ["claude"],
      agent_b: ["codex"],
      agent_c: ["grok"],
      agent_d: ["opencode"],
      agent_e: ["agy"],
    },
    help: "What each runtime starts; a map that is given replaces this one. `shell` is always there.",
  }),
} as const satisfies Record<string, Field<unknown>>;

export type ConfigKey = keyof typeof FIELDS;

/** Effective values, by YAML path. */
export type Config = { readonly [K in ConfigKey]: (typeof FIELDS)[K]["default"] };

export const CONFIG_KEYS = Object.keys(FIELDS).filter(isConfigKey);

/** Built-in patterns are fast on any text: without others the pattern process is not started. */
export const OWN_PATTERNS: ReadonlySet<string> = new Set([
  ...FIELDS["detectors.generic_prompt_patterns"].default,
  ...FIELDS["detectors.error_patterns"].default,
]);

const LIVE = CONFIG_KEYS.flatMap((key) => {
  const field: Field<unknown> = FIELDS[key];
  return field.live ? [{ key, field, ...field.live }] : [];
});

/** Live name -> YAML path. */
export const LIVE_FIELDS: ReadonlyMap<LiveKey, ConfigKey> = new Map(
  LIVE.map(({ name, key }) => [name, key]),
);

export const FORM_FIELDS: readonly ConfigField[] = LIVE.map(
  ({ key, field, name, label, group }) => {
    const { kind, help, clamp: [min, max] = [null, null], of = null, default: usual } = field;
    return { key, live: name, kind, label, group, help, min, max, values: of, default: usual };
  },
);

/** Name in the overlay -> YAML path. Hosts have requests of their own, and are no live setting. */
export const OVERLAY_FIELDS: ReadonlyMap<string, ConfigKey> = new Map([
  ...LIVE_FIELDS,
  ["hosts", "hosts"],
]);

/** Keys of older versions, which are ignored without a warning. */
export const IGNORED_YAML_KEYS: readonly string[] = ["agents.enabled"];

export function isConfigKey(key: string): key is ConfigKey {
  return Object.hasOwn(FIELDS, key);
}
