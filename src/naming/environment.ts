import type { Config } from "../config/fields.ts";

type Backend = Config["auto_naming.ai_backend"];

/** What any program needs to find its files, its settings and the network. */
const COMMON = [
  ...["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR"],
  ...["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"],
  ...["http_proxy", "https_proxy", "all_proxy", "no_proxy"],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"],
];

/** Where each backend finds its account. Secrets of other programs, such as cloud keys, are not passed. */
const OWN: Readonly<Record<Backend, readonly string[]>> = {
  claude: ["CLAUDE_CONFIG_DIR", "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL"],
  codex: ["CODEX_HOME", "OPENAI_BASE_URL"],
  antigravity: [],
  local: [],
};

/** Variables whose value alone signs in: each backend gets its own, and no file holds them. */
export const SECRETS: Readonly<Record<Backend, readonly string[]>> = {
  claude: [
    ...["CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
    "ANTHROPIC_CUSTOM_HEADERS",
  ],
  codex: ["CODEX_API_KEY", "OPENAI_API_KEY"],
  antigravity: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  local: [],
};

/** The environment of a process that reads untrusted text: only what it needs to run and to sign in. */
export function backendEnvironment(
  backend: Backend,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of [...COMMON, ...OWN[backend], ...SECRETS[backend]]) {
    const value = env[name];
    if (value !== undefined) passed[name] = value;
  }
  return passed;
}
