import { beforeEach, describe, expect, test } from "bun:test";
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { Window } from "happy-dom";
import {
  launchdService,
  renderUnit,
  serviceEnvironment,
  type ServiceFacts,
  systemdService,
} from "../../src/service/managers.ts";
import { ServiceControl, serviceFor } from "../../src/service/service.ts";
import { temporary } from "../support/temporary.ts";
import { forAll } from "../support/laws.ts";

const facts: ServiceFacts = {
  argv: ["/opt/panewatch", "--config", "/home/me/panewatch.yaml"],
  env: { PATH: "/usr/bin:/bin" },
  home: "/home/me",
  configHome: "/home/me/.config",
  userId: 501,
};

test("the service's environment has PATH with absolute folders, and only the kept variables", () => {
  const variables = {
    TMUX_TMPDIR: "/run/me",
    NODE_EXTRA_CA_CERTS: "/etc/house.pem",
    HTTP_PROXY: "http://proxy:3128",
    https_proxy: "http://proxy:3128",
    NO_PROXY: "localhost",
    CLAUDE_CONFIG_DIR: "/home/me/work",
  };
  const shell = { PATH: "/a:.:/b::/a:bin", TOKEN: "s3cret", TMUX: "/x,1,0", HOME: "/home/me" };
  expect(serviceEnvironment({ ...shell, ...variables, OPENAI_API_KEY: "k" })).toEqual({
    PATH: "/a:/b",
    ...variables,
  });
  expect(serviceEnvironment({})).toEqual({});
});

test("a relative path in the service's environment becomes absolute", () => {
  expect(serviceEnvironment({ NODE_EXTRA_CA_CERTS: "house.pem" })).toEqual({
    NODE_EXTRA_CA_CERTS: join(process.cwd(), "house.pem"),
  });
});

describe("the ssh agent of the service", () => {
  const at = (socket: string) =>
    serviceEnvironment({ HOME: "/home/me", XDG_RUNTIME_DIR: "/run/user/7", SSH_AUTH_SOCK: socket });

  test.each(["/run/user/7/keyring/ssh", "/home/me/.1password/agent.sock"])(
    "a socket that is there after the next login is kept: %s",
    (socket) => expect(at(socket)).toEqual({ SSH_AUTH_SOCK: socket }),
  );

  test.each(["/tmp/ssh-Xq2/agent.81", "/home/me/.ssh/agent/s.x1.agent.y", "/home/mei/agent", ""])(
    "a socket of the current login only is dropped: %p",
    (socket) => expect(at(socket)).toEqual({}),
  );
});

describe("a systemd unit", () => {
  const line = (unit: string, name: string) =>
    unit
      .split("\n")
      .filter((text) => text.startsWith(`${name}=`))
      .map((text) => text.slice(name.length + 1));

  /** As the manager reads a value: quotes, C escapes, then specifiers. */
  const words = (value: string): string[] =>
    [...value.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, quoted = ""]) =>
      quoted
        .replace(/\\(x[0-9a-f]{2}|.)/g, (_, escape: string) =>
          escape.length === 1 ? escape : String.fromCharCode(Number.parseInt(escape.slice(1), 16)),
        )
        .replaceAll("%%", "%"),
    );

  test("a unit starts the program by absolute paths, and restarts it after a crash but not a refusal", () => {
    const unit = renderUnit(facts);
    expect(line(unit, "ExecStart")).toEqual([
      '"/opt/panewatch" "--config" "/home/me/panewatch.yaml"',
    ]);
    expect(line(unit, "Environment")).toEqual(['"PATH=/usr/bin:/bin"']);
    expect(line(unit, "Restart")).toEqual(["on-failure"]);
    expect(line(unit, "RestartPreventExitStatus")).toEqual(["2"]);
    expect(line(unit, "KillMode")).toEqual(["process"]);
    expect(line(unit, "WantedBy")).toEqual(["default.target"]);
  });

  test("a unit quotes every path so that systemd reads it back", () => {
    const text = fc.string({ unit: "binary", maxLength: 20 });
    const path = text.map((name) => `/${name.replace(/["'\\\p{Cc}]/gu, "")}`);
    forAll([path, fc.array(text, { maxLength: 3 }), text], (executable, args, folder) => {
      const unit = renderUnit({ argv: [executable, ...args], env: { PATH: folder } });
      // systemd expands dollars in arguments alone, so only those are doubled.
      const [first, ...rest] = words(line(unit, "ExecStart")[0] ?? "");
      expect(first).toBe(executable);
      expect(rest.map((word) => word.replaceAll("$$", "$"))).toEqual(args);
      expect(words(line(unit, "Environment")[0] ?? "")).toEqual([`PATH=${folder}`]);
    });
    const unit = renderUnit({ argv: ["/a b%h$HOME", "$x", "50%"], env: {} });
    expect(line(unit, "ExecStart")).toEqual(['"/a b%%h$HOME" "$$x" "50%%"']);
  });

  test.each(["/a'b", '/a"b', "/a\\b", "/a\nb"])(
    "a unit is refused for the executable %p",
    (executable) => {
      expect(() => renderUnit({ argv: [executable], env: {} })).toThrow("cannot write a unit");
    },
  );
});

test("a launchd agent escapes every path so that launchd reads it back", () => {
  const odd = "/a b/<&>\"'$%/]]>";
  const { content, path } = launchdService({ ...facts, argv: [odd, "--config", odd] });
  expect(path).toBe("/home/me/Library/LaunchAgents/panewatch.plist");
  const { DOMParser } = new Window();
  const root = new DOMParser().parseFromString(content, "text/xml");
  const values = [...root.querySelectorAll("array string, dict dict string")];
  expect(values.map((node) => node.textContent)).toEqual([odd, "--config", odd, "/usr/bin:/bin"]);
  const keys = [...root.querySelectorAll("plist > dict > key")].map((node) => node.textContent);
  expect(keys).toContain("RunAtLoad");
  expect(keys).toContain("AbandonProcessGroup");
});

test("a platform without a service manager is refused", () => {
  expect(() => serviceFor("win32", facts)).toThrow("there is no service for win32");
  expect(serviceFor("linux", facts).path).toBe("/home/me/.config/systemd/user/panewatch.service");
});

describe("service control by systemd", () => {
  let folder: string;
  let printed: string[];
  beforeEach(async () => {
    folder = await temporary("service");
    printed = [];
    const script = `#!/bin/sh\necho "$*" >> '${folder}/calls'\n[ -f '${folder}/fail' ] && { echo 'no bus' >&2; exit 1; }\n[ -f '${folder}/stopped' ] && [ "$2" = is-active ] && exit 3\nexit 0\n`;
    await writeFile(join(folder, "systemctl"), script, { mode: 0o755 });
  });

  const control = (
    change: { argv?: string[]; isDryRun?: boolean; env?: Record<string, string> } = {},
  ) =>
    new ServiceControl({
      definition: systemdService({
        ...facts,
        configHome: folder,
        argv: change.argv ?? facts.argv,
      }),
      env: change.env ?? { PATH: `${folder}:${process.env.PATH}` },
      print: (text) => void printed.push(text),
      isDryRun: change.isDryRun ?? false,
    });
  const unit = () => join(folder, "systemd/user/panewatch.service");
  const calls = async () => {
    const text = await readFile(join(folder, "calls"), "utf8").catch(() => "");
    await rm(join(folder, "calls"), { force: true });
    return text.split("\n").filter(Boolean);
  };

  test("install writes and starts the service, is harmless when repeated, and restarts after a change", async () => {
    await control().install();
    expect(await readFile(unit(), "utf8")).toBe(renderUnit(facts));
    expect(await calls()).toEqual([
      "--user daemon-reload",
      "--user enable panewatch.service",
      "--user restart panewatch.service",
    ]);
    expect(printed).toContain(`write ${unit()}`);
    expect(printed).toContain("run systemctl --user enable panewatch.service");

    const before = (await stat(unit())).mtimeMs;
    await control().install();
    expect((await stat(unit())).mtimeMs).toBe(before);
    expect(await calls()).toEqual([
      "--user enable panewatch.service",
      "--user start panewatch.service",
    ]);

    await control({ argv: ["/opt/other"] }).install();
    expect(await readFile(unit(), "utf8")).toContain('"/opt/other"');
    expect(await calls()).toContain("--user restart panewatch.service");
  });

  test("restart restarts a running service of this program only", async () => {
    expect(await control().restart("/opt/panewatch")).toBe(false);
    await control().install();
    await calls();
    expect(await control().restart("/opt/other")).toBe(false);
    expect(await calls()).toEqual([]);
    expect(await control().restart("/opt/panewatch")).toBe(true);
    expect(await calls()).toContain("--user restart panewatch.service");
    await writeFile(join(folder, "stopped"), "");
    expect(await control().restart("/opt/panewatch")).toBe(false);
    expect(await calls()).not.toContain("--user restart panewatch.service");
  });

  test("uninstall stops and removes the service, and is harmless when repeated", async () => {
    await control().install();
    await calls();
    await control().uninstall();
    expect(await calls()).toEqual([
      "--user disable --now panewatch.service",
      "--user daemon-reload",
    ]);
    expect(await Bun.file(unit()).exists()).toBe(false);
    await control().uninstall();
    expect(await calls()).toEqual([]);
    expect(printed.at(-1)).toBe("panewatch is not installed");
  });

  test("a dry run prints the steps, and does nothing", async () => {
    await control({ isDryRun: true }).install();
    expect(printed.join("\n")).toContain(`would write ${unit()}`);
    expect(printed.join("\n")).toContain("ExecStart=");
    expect(printed.at(-1)).toBe("would run systemctl --user restart panewatch.service");
    expect(await Bun.file(dirname(unit())).exists()).toBe(false);
    await control().install();
    await calls();
    await control({ isDryRun: true }).uninstall();
    expect(await Bun.file(unit()).exists()).toBe(true);
    expect(await calls()).toEqual([]);
  });

  test("status says whether the service is installed and runs", async () => {
    const status = async () => Object.values(await control().status());
    expect(await status()).toEqual([false, false, "not installed"]);
    await control().install();
    expect(await status()).toEqual([true, true, "installed and running"]);
    await writeFile(join(folder, "stopped"), "");
    expect(await status()).toEqual([true, false, "installed, but not running"]);
    await writeFile(join(folder, "fail"), "");
    const unknown = "installed; whether it runs cannot be told: no bus";
    expect(await status()).toEqual([true, null, unknown]);
  });

  test("a failed install names the step and the error", async () => {
    await writeFile(join(folder, "fail"), "");
    await expect(control().install()).rejects.toThrow(
      "systemctl --user daemon-reload failed (1): no bus",
    );
  });

  for (const [missing, why] of [
    ["a user bus", "failed (1): no bus"],
    ["its manager", "failed: systemctl: cannot be started"],
  ] as const) {
    test(`uninstall without ${missing} removes the unit, and says what may still run`, async () => {
      await control().install();
      const wants = join(folder, "systemd/user/default.target.wants");
      await mkdir(wants);
      await symlink(unit(), join(wants, "panewatch.service"));
      if (missing === "a user bus") await writeFile(join(folder, "fail"), "");
      const env = missing === "its manager" ? { PATH: "/nonexistent" } : undefined;
      await control(env ? { env } : {}).uninstall();
      expect(await Bun.file(unit()).exists()).toBe(false);
      expect(await readdir(wants)).toEqual([]);
      const failures = printed.filter((line) => line.includes("failed"));
      expect(failures).toHaveLength(2);
      expect(failures[0]).toContain(why);
      expect(failures[0]).toEndWith("; where it still runs, it does until you log out or end it");
      // The second uninstall finds nothing.
      await control(env ? { env } : {}).uninstall();
      expect(printed.at(-1)).toBe("panewatch is not installed");
    });
  }
});

describe("service control by launchd", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await temporary("launchd");
    // A launchctl that lists a stopped job for three more calls of `print`.
    const script = `#!/bin/sh
cd '${folder}'
echo "$1" >> calls
case "$1" in
bootout) [ -f known ] || exit 3; printf 'xxx' > leaving ;;
print)
  [ -f known ] || { echo 'Could not find service' >&2; exit 113; }
  if [ -f leaving ]; then
    [ -s leaving ] || { rm known leaving; exit 113; }
    printf '%s' "$(cut -c2- leaving)" > leaving
  fi
  printf 'gui/501/panewatch = {\\n\\tactive count = 1\\n\\tstate = %s\\n\\tspawn = {\\n\\t\\tstate = active\\n\\t}\\n}\\n' "$(cat known)" ;;
bootstrap) [ -f known ] && { echo 'Bootstrap failed: 5: Input/output error' >&2; exit 5; }
  printf 'running' > known ;;
esac
`;
    await writeFile(join(folder, "launchctl"), script, { mode: 0o755 });
  });

  const control = (argv: readonly string[]) =>
    new ServiceControl({
      definition: launchdService({ ...facts, home: folder, argv }),
      env: { PATH: `${folder}:${process.env.PATH}` },
      print: () => undefined,
      isDryRun: false,
    });

  test("install of a changed agent waits until the old agent is gone", async () => {
    await control(["/opt/panewatch"]).install();
    await control(["/opt/other"]).install();
    expect(await control([]).status()).toMatchObject({ isInstalled: true, isRunning: true });
    const calls = (await readFile(join(folder, "calls"), "utf8")).trim().split("\n");
    const second = calls.slice(calls.lastIndexOf("bootout"));
    expect(second).toEqual(["bootout", "print", "print", "print", "print", "bootstrap", "print"]);
  });

  test.each(["spawn scheduled", "waiting", "not running"])(
    "status of an agent that is %s is installed, but not running",
    async (state) => {
      await control(["/opt/panewatch"]).install();
      await writeFile(join(folder, "known"), state);
      expect(await control([]).status()).toMatchObject({ isInstalled: true, isRunning: false });
    },
  );
});
