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

export type BackendCall =
  | {
      via: "process";
      argv: readonly string[];
      stdin: string | null;
      env: Readonly<Record<string, string>>;
    }
  | { via: "http"; url: string; key: string; body: unknown };

const MAX_REPLY_BYTES = 64 * 1024;

/**
 * How the configured backend is asked. Pane output is of other programs and may try to give
 * orders: agents run without tools, hooks and memory of the session.
 */
export function callOf(
  config: NamingConfig,
  question: string,
  processEnv: Readonly<Record<string, string | undefined>>,
): BackendCall {
  const env = backendEnvironment(config["auto_naming.ai_backend"], processEnv);
  const system = config["auto_naming.system_prompt"];
  const model = (flag: string, name: string) => (name === "" ? [] : [flag, name]);
  switch (config["auto_naming.ai_backend"]) {
    case "claude":
      return {
        via: "process",
        argv: [
          config["auto_naming.claude_bin"],
          "--print",
          ...["--tools", "", "--strict-mcp-config", "--disable-slash-commands"],
          ...["--setting-sources", "user", "--settings", '{"disableAllHooks":true}'],
          ...["--no-session-persistence", "--system-prompt", system],
          ...model("--model", config["auto_naming.claude_model"]),
        ],
        stdin: question,
        env,
      };
    case "codex":
      return {
        via: "process",
        argv: [
          ...[config["auto_naming.codex_bin"], "exec", "--sandbox", "read-only"],
          ...["-c", "features.shell_tool=false", "-c", "features.unified_exec=false"],
          ...["--ephemeral", "--skip-git-repo-check", "--color", "never"],
          ...model("--model", config["auto_naming.codex_model"]),
          "-",
        ],
        stdin: `${system}\n\n${question}`,
        env,
      };
    case "antigravity":
      // antigravity takes its prompt as an argument only, and -p swallows what follows.
      return {
        via: "process",
        argv: [
          config["auto_naming.antigravity_bin"],
          ...config["auto_naming.antigravity_flags"],
          ...model("--model", config["auto_naming.antigravity_model"]),
          ...["-p", `${system}\n\n${question}`],
        ],
        stdin: null,
        env,
      };
    case "local":
      return {
        via: "http",
        url: config["auto_naming.local_url"],
        key: config["auto_naming.local_api_key"],
        body: {
          ...(config["auto_naming.local_model"]
            ? { model: config["auto_naming.local_model"] }
            : {}),
          messages: [
            { role: "system", content: system },
            { role: "user", content: question },
          ],
          max_tokens: 32,
          temperature: 0,
          stream: false,
        },
      };
  }
}

export interface AskOptions {
  timeoutMs: number;
  signal: AbortSignal;
}

/** The backend's raw answer. Throws at its timeout, and when the answer is too long. */
export async function askBackend(call: BackendCall, options: AskOptions): Promise<string> {
  return call.via === "process" ? await askProcess(call, options) : await askHttp(call, options);
}

async function askProcess(
  { argv, stdin, env }: Extract<BackendCall, { via: "process" }>,
  options: AskOptions,
): Promise<string> {
  // Nothing of any project is there to be read, and nothing of ours: not the file with the token.
  const cwd = await mkdtemp(join(tmpdir(), "panewatch-naming-"));
  try {
    const { code, stdout } = await run(argv, {
      ...options,
      cwd,
      env,
      maxBytes: MAX_REPLY_BYTES,
      ...(stdin === null ? {} : { stdin }),
    });
    // stderr is left out: it may quote the question, and with it the pane.
    if (code !== 0) throw new Error(`${argv[0]} ended with ${code}`);
    return new TextDecoder().decode(stdout);
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

async function askHttp(
  { url, key, body }: Extract<BackendCall, { via: "http" }>,
  { timeoutMs, signal }: AskOptions,
): Promise<string> {
  // A proxy or a redirect would carry pane output, and the key, somewhere else.
  const reply = await requestDirectly(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(key === "" ? {} : { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(body),
    maxBytes: MAX_REPLY_BYTES,
    timeoutMs,
    signal,
  });
  if (reply.status !== 200) throw new Error(`the endpoint answered ${reply.status}`);
  return contentOf(reply.text);
}

const Completion = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })),
});

function contentOf(text: string): string {
  const reply = parseJson(text);
  if (reply === undefined) throw new Error("the endpoint's answer is not JSON");
  const content = Completion.safeParse(reply).data?.choices[0]?.message.content;
  if (content === undefined) throw new Error("the answer holds no message");
  return content;
}
