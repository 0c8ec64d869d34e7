import { join } from "node:path";
import { StartupError } from "../errors.ts";
import {
  RESTART_YOURSELF,
  type ServiceDefinition,
  type ServiceFacts,
  type ServiceStep,
} from "./definition.ts";

const LABEL = "panewatch";

/** An agent of the user's own login session. */
export function launchdService(facts: ServiceFacts): ServiceDefinition {
  const path = join(facts.home, "Library", "LaunchAgents", `${LABEL}.plist`);
  const log = join(facts.home, "Library", "Logs", `${LABEL}.log`);
  const content = renderAgent(facts, log);
  const domain = `gui/${facts.userId}`;
  const start: ServiceStep = { do: "run", argv: ["launchctl", "bootstrap", domain, path] };
  const stop: ServiceStep = {
    do: "run",
    argv: ["launchctl", "bootout", `${domain}/${LABEL}`],
    // bootout fails where nothing runs.
    ifFails: "",
  };
  const print = ["launchctl", "print", `${domain}/${LABEL}`];
  return {
    path,
    content,
    install: {
      // bootout returns before the job has gone, and bootstrap is refused until then.
      changed: [{ do: "write", path, content }, stop, { do: "wait", argv: print }, start],
      // bootstrap fails where it runs already.
      unchanged: [{ ...start, ifFails: "" }],
    },
    uninstall: [stop, { do: "remove", path }],
    restart: [
      {
        ...{ do: "run", argv: ["launchctl", "kickstart", "-k", `${domain}/${LABEL}`] },
        ifFails: RESTART_YOURSELF,
      },
    ],
    // launchd also knows a job that crashes again and again: "spawn scheduled".
    isRunning: { argv: print, stopped: [3, 113], shows: /^\s*state = running$/m },
    hints: [`Its log: ${log}`],
  };
}

function renderAgent({ argv, env }: Pick<ServiceFacts, "argv" | "env">, log: string): string {
  const words = argv.map((word) => `    <string>${escapeXml(word)}</string>`);
  const variables = Object.entries(env).flatMap(([name, value]) => [
    `    <key>${escapeXml(name)}</key>`,
    `    <string>${escapeXml(value)}</string>`,
  ]);
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${words.join("\n")}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables.join("\n")}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>30</integer>
  <!-- A terminal multiplexer that was started from here outlives this agent. -->
  <key>AbandonProcessGroup</key>
  <true/>
  <key>StandardErrorPath</key>
  <string>${escapeXml(log)}</string>
</dict>
</plist>
`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const UNIT = "panewatch.service";

/** A unit of the user's own manager. */
export function systemdService(facts: ServiceFacts): ServiceDefinition {
  const folder = join(facts.configHome, "systemd", "user");
  const path = join(folder, UNIT);
  const content = renderUnit(facts);
  return {
    path,
    content,
    install: {
      changed: [
        { do: "write", path, content },
        systemctl("daemon-reload"),
        systemctl("enable", UNIT),
        systemctl("restart", UNIT),
      ],
      unchanged: [systemctl("enable", UNIT), systemctl("start", UNIT)],
    },
    uninstall: [
      {
        ...systemctl("disable", "--now", UNIT),
        ifFails: "where it still runs, it does until you log out or end it",
      },
      // What "disable" does, also where the manager cannot be reached.
      { do: "remove", path: join(folder, "default.target.wants", UNIT) },
      { do: "remove", path },
      { ...systemctl("daemon-reload"), ifFails: "the manager knows it until its next start" },
    ],
    restart: [{ ...systemctl("restart", UNIT), ifFails: RESTART_YOURSELF }],
    isRunning: { argv: ["systemctl", "--user", "is-active", "--quiet", UNIT], stopped: [3, 4] },
    hints: [
      `Its log: journalctl --user -u ${UNIT}`,
      "To keep it running after you log out: loginctl enable-linger",
    ],
  };
}

function systemctl(...args: readonly string[]): Extract<ServiceStep, { do: "run" }> {
  return { do: "run", argv: ["systemctl", "--user", ...args] };
}

/** @throws StartupError for an executable that no unit can name */
export function renderUnit({ argv, env }: Pick<ServiceFacts, "argv" | "env">): string {
  const [executable = "", ...args] = argv;
  const command = [quoteExecutable(executable), ...args.map(quoteArgument)].join(" ");
  const environment = Object.entries(env).map(
    ([name, value]) => `Environment=${quoteWord(`${name}=${value}`)}`,
  );
  return `[Unit]
Description=panewatch: watches terminal panes

[Service]
ExecStart=${command}
${environment.join("\n")}
Restart=on-failure
RestartSec=5
# 2: the configuration is refused, and will be the next time.
RestartPreventExitStatus=2
# A terminal multiplexer that was started from here outlives this service.
KillMode=process

[Install]
WantedBy=default.target
`;
}

/** systemd expands no variables in an executable's path: a dollar stays single there. */
function quoteExecutable(path: string): string {
  if (/["'\\\p{Cc}]/u.test(path))
    throw new StartupError(`cannot write a unit for ${path}: move it to a path without quotes`);
  return quoteWord(path);
}

function quoteArgument(text: string): string {
  return quoteWord(text).replaceAll("$", "$$$$");
}

/** In double quotes, with C escapes and without the manager's own `%` specifiers. */
function quoteWord(text: string): string {
  const escaped = text
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll("%", "%%")
    .replace(
      /[\x00-\x1f\x7f]/g,
      (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
    );
  return `"${escaped}"`;
}
