import { EXECUTABLE, httpFault, userFault } from "./checks.ts";
import { boolean, choice, integer, number, text, textMap, texts, type Field } from "./field.ts";

const SYSTEM_PROMPT =
  "You name terminal panes. Answer with one short name for what is going on in this pane: " +
  "two to four words, lower case, no quotes, no punctuation, nothing else.";

/** Settings of smart names. They are in the file only, since pane output may leave this machine. */
export const NAMING_FIELDS = {
  "auto_naming.ai_enabled": boolean({
    default: false,
    help:
      "Ask a model to name panes. Recent output of those panes then goes to the chosen backend, " +
      "which may leave this machine.",
  }),
  "auto_naming.ai_backend": choice({
    default: "claude",
    of: ["claude", "local", "codex", "antigravity"],
    help:
      "Who names: a command line agent, or `local` for an HTTP endpoint. An agent runs without " +
      "tools where it can, in an empty folder, and of the environment it gets PATH, HOME, locale, " +
      "proxies, certificates and the variables of its own account.",
  }),
  "auto_naming.ai_programs": texts({
    default: ["claude", "node", "python", "bun", "deno", "codex", "agy"],
    allowed: "a list of program names",
    help: "Only panes that run one of these, in whatever version, are named by a model.",
  }),
  "auto_naming.prefix_apps": textMap({
    default: {
      claude: "cc",
      node: "node",
      nvim: "nvim",
      codex: "cx",
      agy: "ay",
      antigravity: "ay",
      opencode: "oc",
      oc: "oc",
    },
    allowed: "a map from a program to its short form",
    help: "Short form of a program, put before a smart name.",
  }),
  "auto_naming.max_len": integer({
    default: 24,
    clamp: [8, 80],
    help: "Most characters of a smart name.",
  }),
  "auto_naming.timeout": number({
    default: 60,
    clamp: [0, 300],
    help: "Seconds that a backend may take; 0 asks none.",
  }),
  "auto_naming.system_prompt": text({
    default: SYSTEM_PROMPT,
    help: "What the model is told.",
  }),
  "auto_naming.claude_bin": text({
    default: "claude",
    ...EXECUTABLE,
    help: "Executable of backend `claude`.",
  }),
  "auto_naming.claude_model": text({
    default: "haiku",
    help: "Model of backend `claude`; empty for its own default.",
  }),
  "auto_naming.local_url": text({
    default: "http://localhost:8080/v1/chat/completions",
    allowed: "an http or https address",
    // Doctor and messages show it: a secret has a key of its own.
    check: httpFault(userFault("must hold no user or password")),
    help: "Chat completions endpoint of backend `local`.",
  }),
  "auto_naming.local_model": text({
    help: "Model of backend `local`; empty leaves it to the endpoint.",
  }),
  "auto_naming.local_api_key": text({
    secret: true,
    help: "Bearer key for backend `local`.",
  }),
  "auto_naming.codex_bin": text({
    default: "codex",
    ...EXECUTABLE,
    help: "Executable of backend `codex`.",
  }),
  "auto_naming.codex_model": text({
    help: "Model of backend `codex`; empty for its own default.",
  }),
  "auto_naming.antigravity_bin": text({
    default: "agy",
    ...EXECUTABLE,
    help: "Executable of backend `antigravity`.",
  }),
  "auto_naming.antigravity_model": text({
    help: "Model of backend `antigravity`; empty for its own default.",
  }),
  "auto_naming.antigravity_flags": texts({
    allowed: "a list of arguments",
    help: "Further arguments for backend `antigravity`.",
  }),
} as const satisfies Record<string, Field<unknown>>;
