import { join } from "node:path";
import {
  RESTART_YOURSELF,
  type ServiceDefinition,
  type ServiceFacts,
  type Step,
} from "./definition.ts";

const LABEL = "panewatch";

/** An agent of the user's own login session. */
export function launchdService(facts: ServiceFacts): ServiceDefinition {
  const path = join(facts.home, "Library", "LaunchAgents", `${LABEL}.plist`);
  const log = join(facts.home, "Library", "Logs", `${LABEL}.log`);
  const content = renderAgent(facts, log);
  const domain = `gui/${facts.userId}`;
  const start: Step = { do: "run", argv: ["launchctl", "bootstrap", domain, path] };
  const stop: Step = {
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
