import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { Config } from "../config/fields.ts";
import { requestDirectly } from "../lib/direct-request.ts";
import { parseJson } from "../lib/json.ts";
import { run } from "../lib/run.ts";
import { backendEnvironment } from "./environment.ts";

export type NamingConfig = Pick<Config, Extract<keyof Config, `auto_naming.${string}`>>;

interface Command {
  argv: readonly string[];
  stdin: string | null;
}

export interface AskOptions {
  timeoutMs: number;
  signal: AbortSignal;
  /** Of the service; a program gets a part of it. */
  env: Readonly<Record<string, string | undefined>>;
}

const MAX_REPLY_BYTES = 64 * 1024;

const option = (flag: string, value: string) => (value === "" ? [] : [flag, value]);

/**
 * The command line of each program. Pane output may hold instructions: agents run without tools, hooks and
 * a stored session.
 */
export const BACKEND_COMMANDS: Readonly<
  Record<
    Exclude<NamingConfig["auto_naming.ai_backend"], "local">,
    (config: NamingConfig, question: string) => Command
  >
> = {
  claude: (config, question) => ({
    argv: [
      config["auto_naming.claude_bin"],
      ...["--print", "--tools", "", "--strict-mcp-config", "--disable-slash-commands"],
      ...["--setting-sources", "user", "--settings", '{"disableAllHooks":true}'],
      ...["--no-session-persistence", "--system-prompt", config["auto_naming.system_prompt"]],
      ...option("--model", config["auto_naming.claude_model"]),
    ],
    stdin: question,
  }),
  codex: (config, question) => ({
    argv: [
      ...[config["auto_naming.codex_bin"], "exec", "--sandbox", "read-only"],
      ...["-c", "features.shell_tool=false", "-c", "features.unified_exec=false"],
      ...["--ephemeral", "--skip-git-repo-check", "--color", "never"],
      ...option("--model", config["auto_naming.codex_model"]),
      "-",
    ],
    stdin: `${config["auto_naming.system_prompt"]}\n\n${question}`,
  }),
  // It takes a prompt only as an argument, and -p takes all that follows.
  antigravity: (config, question) => ({
    argv: [
      config["auto_naming.antigravity_bin"],
      ...config["auto_naming.antigravity_flags"],
      ...option("--model", config["auto_naming.antigravity_model"]),
      ...["-p", `${config["auto_naming.system_prompt"]}\n\n${question}`],
    ],
    stdin: null,
  }),
};

/** The raw answer. @throws Error at the timeout, and when the answer is too long */
export function askBackend(
  config: NamingConfig,
  question: string,
  options: AskOptions,
): Promise<string> {
  const backend = config["auto_naming.ai_backend"];
  if (backend === "local") return askEndpoint(config, question, options);
  const env = backendEnvironment(backend, options.env);
  return askProgram(BACKEND_COMMANDS[backend](config, question), { ...options, env });
}

export async function askProgram({ argv, stdin }: Command, options: AskOptions): Promise<string> {
  // An empty folder: the program can read no project there, nor our file with the token.
  const cwd = await mkdtemp(join(tmpdir(), "panewatch-naming-"));
  const limits = { ...options, cwd, maxBytes: MAX_REPLY_BYTES };
  try {
    const { code, stdout } = await run(argv, stdin === null ? limits : { ...limits, stdin });
    // Without stderr, which may quote the pane.
    if (code !== 0) throw new Error(`${argv[0]} ended with ${code}`);
    return new TextDecoder().decode(stdout);
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

const Completion = z.object({
  choices: z.tuple([z.object({ message: z.object({ content: z.string() }) })], z.unknown()),
});

async function askEndpoint(
  config: NamingConfig,
  question: string,
  { timeoutMs, signal }: AskOptions,
): Promise<string> {
  const { "auto_naming.local_model": model, "auto_naming.local_api_key": key } = config;
  const messages = [
    { role: "system", content: config["auto_naming.system_prompt"] },
    { role: "user", content: question },
  ];
  const body = { ...(model && { model }), messages, max_tokens: 32, temperature: 0, stream: false };
  // Directly: a proxy or a redirect would carry pane output and the key somewhere else.
  const { status, text } = await requestDirectly(config["auto_naming.local_url"], {
    ...{ timeoutMs, signal },
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(key === "" ? {} : { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(body),
    maxBytes: MAX_REPLY_BYTES,
  });
  if (status !== 200) throw new Error(`the endpoint answered ${status}`);
  const reply = Completion.safeParse(parseJson(text));
  if (!reply.success) throw new Error("the endpoint's answer holds no message");
  return reply.data.choices[0].message.content;
}
