import { expect, test } from "bun:test";
import { remotePlace } from "../../src/creation/remote.ts";
import { launchOf, listRuntimes, paneEnvironment } from "../../src/creation/runtimes.ts";
import { LABELS } from "../../src/detect/agents.ts";
import { MuxCreation } from "../../src/terminal/mux/creation.ts";

const installed: Record<string, string> = {
  claude: "/usr/local/bin/claude",
  "/opt/codex": "/opt/codex",
  odd: "/opt/a=b/odd",
  relative: "bin/relative",
};

const disk = { which: async (executable: string) => installed[executable] ?? null };

test("all six runtimes are listed in fixed order, an unavailable runtime with its reason", async () => {
  const commands = { agent_a: ["claude", "--x"], agent_b: ["/gone/codex"] };
  const list = await listRuntimes(commands, disk, null);
  expect(list.map(({ id, available }) => [id, available])).toEqual([
    ["shell", true],
    ["agent_b", false],
    ["agent_a", true],
    ["agent_e", false],
    ["agent_c", false],
    ["agent_d", false],
  ]);
  expect(list[1]?.reason).toBe("The executable was not found on this host.");
  expect(list[3]?.reason).toBe("No command is configured for this runtime.");
  expect(list[0]?.label).toBe("Shell");
  expect(list[2]).toEqual({
    id: "agent_a",
    label: String(LABELS.agent_a),
    available: true,
    reason: null,
  });
});

test("without a multiplexer all runtimes have its reason, and no executable is looked for", async () => {
  const away = { which: () => Promise.reject(new Error("it is away")) };
  const list = await listRuntimes({ agent_a: ["claude"] }, away, "tmux is gone.");
  expect(new Set(list.map((runtime) => runtime.reason))).toEqual(new Set(["tmux is gone."]));
});

test("an executable becomes absolute and keeps its arguments", async () => {
  const commands = { agent_a: ["claude", "a b", "$(x)"], agent_b: ["/opt/codex"] };
  const argv = ["/usr/local/bin/claude", "a b", "$(x)"];
  expect(await launchOf("agent_a", commands, disk)).toEqual({ argv });
  expect(await launchOf("agent_b", commands, disk)).toEqual({ argv: ["/opt/codex"] });
  expect(await launchOf("shell", commands, disk)).toEqual({ argv: [] });
});

test("a relative path and an executable that env would read as an assignment are unavailable", async () => {
  const commands = { agent_a: ["./claude"], agent_b: ["odd"], agent_c: ["relative"], agent_d: [] };
  for (const id of ["agent_a", "agent_b", "agent_c", "agent_d"] as const)
    expect(await launchOf(id, commands, disk)).toHaveProperty("unavailable");
});

test("the environment of panes has no secrets and nothing about the service", () => {
  const own = {
    PATH: "/bin",
    TMUX_TMPDIR: "/run/me",
    TOKEN: "s3cret",
    START: "panewatch --token s3cret",
    READ_TOKEN: "an0ther",
    PANEWATCH_TOKEN: "other",
    NOTIFY_SOCKET: "/run/notify",
    INVOCATION_ID: "1",
    GONE: undefined,
  };
  expect(paneEnvironment(own, ["s3cret", "an0ther", ""])).toEqual({
    ...{ PATH: "/bin", TMUX_TMPDIR: "/run/me" },
  });
  expect(paneEnvironment({ PATH: "/bin", TOKEN: "bin" }, ["bin"])).toEqual({ PATH: "/bin" });
});

test("creation on another machine uses its roots, else its home, and is unavailable while it is away", () => {
  const code = [{ label: "code", path: "/code" }];
  const machine = (roots?: typeof code, isLive = true) =>
    remotePlace(
      {
        config: { name: "gpu-1", ...(roots ? { roots } : {}) },
        panes: [{ cwd: "/code/api" }],
        poller: { pass: async () => {} },
        isLive: () => isLive,
        requireLive: () => {},
        run: async () => ({ code: 0, stdout: "" }),
      },
      new MuxCreation({ run: () => Promise.reject(new Error("nothing is asked")) }),
    );
  expect(machine(code)).toMatchObject({ name: "gpu-1", roots: code });
  expect(machine().roots).toEqual([{ label: "~", path: "~" }]);
  expect(machine().paneDirectories()).toEqual(["/code/api"]);
  expect(machine().muxUnavailable()).toBeNull();
  expect(machine(code, false).muxUnavailable()).toBe("gpu-1 is away.");
});
