import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdir, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { Creation, CreationDeps } from "../../src/creation/creation.ts";
import type { AppError } from "../../src/errors.ts";
import { causesOf } from "../../src/lib/log.ts";
import { run, RunError, type RunResult } from "../../src/lib/run.ts";
import { MuxClient } from "../../src/terminal/mux/client.ts";
import { MuxCreation } from "../../src/terminal/mux/creation.ts";
import { argumentsOf } from "../../src/terminal/mux/tmux.ts";
import { THIS_MACHINE } from "../../src/terminal/namespace.ts";
import { becomes } from "../support/becomes.ts";
import { openMux } from "../support/mux.ts";
import { refusalOf } from "../support/refusal.ts";
import { shellScript } from "../support/shell-script.ts";
import { until } from "../support/until.ts";
import { creationOn, MuxHost } from "./mux-host.ts";

let host: MuxHost;
let created: number;
const at = (path: string) => join(host.folder, path);
const session = (name: string | null, cwd = "code") =>
  ({ type: "session", cwd: at(cwd), runtime: "shell", name }) as const;
const window = (name: string | null, runtime: "shell" | "agent_a" | "agent_b" = "shell") =>
  ({ type: "window", parent_session: "work", cwd: at("code"), runtime, name }) as const;
const pane = (parent_pane_id: string, size_percent = 30) =>
  ({
    type: "pane",
    parent_pane_id,
    cwd: at("code"),
    runtime: "agent_a",
    split: "side_by_side",
    size_percent,
  }) as const;

const program = (name: string, script: string) => shellScript(at(name), script);

const creation = (change: Partial<CreationDeps> = {}) =>
  creationOn(
    host,
    { agent_a: [at("lives")], agent_b: [at("ends"), "soon"] },
    { created: async () => void created++, ...change },
  );

const refusal = (made: Promise<unknown>) =>
  made.then(
    () => "created",
    ({ kind, message }: AppError) => `${kind}: ${message}`,
  );

/** Creates panes that are checked once their program has ended. */
function creationOfEnded(): Creation {
  const mux = host.muxOf((args) => host.command(args));
  const create = mux.create.bind(mux);
  mux.create = async (...args) => {
    const pane = await create(...args);
    await until(async () => (await mux.look(pane.id))?.isDead !== false);
    return pane;
  };
  return creation({ mux });
}

/** The causes of a refusal, which are for the log and not for the reply. */
const causeOf = (made: Promise<unknown>) =>
  made.then(
    () => "created",
    (error: AppError) => causesOf(error),
  );
const format = (id: string, text: string) =>
  host.tmux("list-panes", "-a", "-f", `#{==:#{pane_id},${id}}`, "-F", text);

beforeEach(async () => {
  host = await MuxHost.open();
  created = 0;
  await mkdir(at("code"));
  await mkdir(at("secret"));
  await program("lives", `printf '%s\\n' "$0" "$#" "$@" > ${at("argv")}; exec sleep 60`);
  await program("ends", "exit 3");
});
afterEach(() => host.stop());

describe("creation", () => {
  test("a session is created without a running server, in its directory and detached", async () => {
    const made = await creation().create(session(null));
    expect(made).toEqual({ pane_id: "%0", target: "code:0.0" });
    expect(await format("%0", "#{pane_current_path} #{session_attached}")).toBe(`${at("code")} 0`);
    expect(created).toBe(1);
  });

  test("a server started for a session has only the environment for panes", async () => {
    const socket = at("socket");
    const client = await MuxClient.open({ binary: "tmux", socket });
    const env = { ...host.env, OF_THE_PANES: "1" };
    await creation({ mux: new MuxCreation(client, THIS_MACHINE, env) }).create(session(null));
    const limits = { timeoutMs: 60_000, maxBytes: 65_536 };
    const { stdout } = await client.run([["show-environment", "-g"], ["kill-server"]], limits);
    const seen = new TextDecoder().decode(stdout).split("\n");
    expect(seen).toContain("OF_THE_PANES=1");
    expect(seen).not.toContain(`HOME=${process.env.HOME}`);
  });

  test("the pane is marked as created here before the watchers see it", async () => {
    const seen: string[] = [];
    const isMarked = () => host.tmux("list-panes", "-a", "-F", "#{@panewatch_created}");
    await creation({ created: async () => void seen.push(await isMarked()) }).create(session(null));
    expect(seen).toEqual(["1"]);
  });

  test("a created pane is marked as such for its life, also for a new client and after break-pane", async () => {
    await host.tmux("new-session", "-d", "-s", "work");
    const { pane_id } = await creation().create(window("api"));
    const list = async () => {
      const provider = await openMux(host);
      const panes = await provider.list(new AbortController().signal);
      return panes.map(({ id, isCreatedHere }) => [id, isCreatedHere]);
    };
    const expected = [
      ["%0", false],
      [pane_id, true],
    ];
    expect(await list()).toEqual(expected);
    await host.tmux("break-pane", "-d", "-s", pane_id);
    expect(await list()).toEqual(expected);
  });

  test("a session is created on a server without sessions, and a window there is refused", async () => {
    await host.tmux("start-server", ";", "set-option", "-g", "exit-empty", "off");
    expect(await refusal(creation().create(window("api")))).toBe(
      "not_found: the parent no longer exists",
    );
    const made = await creation().create(session(null));
    expect(made).toEqual({ pane_id: "%0", target: "code:0.0" });
  });

  test("windows and panes are created in exactly the named parent", async () => {
    await host.tmux("new-session", "-d", "-s", "work-2");
    await host.tmux("new-session", "-d", "-s", "work");
    const made = await creation().create(window("api"));
    expect(made.target).toBe("work:1.0");
    const split = await creation().create(pane(made.pane_id));
    expect(await format(split.pane_id, "#{session_name} #{window_name}")).toBe("work api");
    await host.tmux("kill-session", "-t", "=work");
    expect(await refusal(creation().create(window("x")))).toBe(
      "not_found: the parent no longer exists",
    );
    expect(await refusal(creation().create(pane(made.pane_id)))).toBe(
      "not_found: the parent no longer exists",
    );
  });

  test("a runtime is executed as an argument list, never by a shell, also with a single item", async () => {
    const odd = "lives $(touch pwned) 'x;";
    const readArgv = () => Bun.file(at("argv")).text().catch(String);
    await rename(at("lives"), at(odd));
    for (const rest of [[], ["a b", "$(touch pwned)", "#(touch pwned)", ";", "x;", "", "--"]]) {
      const runtimes = { agent_a: [at(odd), ...rest] };
      await rm(at("argv"), { force: true });
      await creation({ runtimes }).create({ ...session(null), runtime: "agent_a" });
      await becomes(readArgv, [at(odd), rest.length, ...rest, ""].join("\n"));
    }
    expect(await Bun.file(at("code/pwned")).exists()).toBe(false);
  });

  test("a pane starts in a directory with any characters in its name", async () => {
    const names = [
      "a;",
      ";",
      "#(touch pwned)",
      "#[x",
      "##[y",
      "##z",
      "#{pane_id}",
      "p%H",
      "q'\"$x",
    ];
    const maker = creation();
    await Promise.all(
      [...names, "ü }, x", "-flag", "$(touch pwned)"].map(async (name) => {
        await mkdir(at(`code/${name}`));
        const { pane_id } = await maker.create(session(null, `code/${name}`));
        expect(await format(pane_id, "#{pane_current_path}")).toBe(at(`code/${name}`));
      }),
    );
    const pwned = [...new Bun.Glob("**/pwned").scanSync({ cwd: host.folder, onlyFiles: false })];
    expect(pwned).toEqual([]);
  });
});

describe("the names of created sessions and windows", () => {
  test("ten concurrent requests get ten names", async () => {
    await host.tmux("new-session", "-d", "-s", "work");
    const maker = creation();
    const sessions = Array.from({ length: 5 }, () => maker.create(session(null)));
    const windows = Array.from({ length: 5 }, () => maker.create(window(null)));
    const targets = (await Promise.all(sessions)).map(({ target }) => target.split(":")[0]);
    expect(new Set(targets)).toEqual(new Set(["code", "code-2", "code-3", "code-4", "code-5"]));
    await Promise.all(windows);
    const names = await host.tmux("list-windows", "-t", "=work", "-F", "#{window_name}");
    expect(names.split("\n").slice(1).sort()).toEqual(
      ["code", "code-2", "code-3", "code-4", "code-5"].sort(),
    );
  });

  test("of two requests for a name one is refused, and leaves nothing", async () => {
    const maker = creation();
    const both = await Promise.all(
      [session("same"), session("same")].map((request) => refusal(maker.create(request))),
    );
    expect(both.sort()).toEqual(["conflict: the name is in use", "created"].sort());
    expect(await host.tmux("list-sessions", "-F", "#{session_name}")).toBe("same");
  });
});

describe("a program that ends at once", () => {
  test.each(["off", "on"])(
    "the pane of a program that ends is refused and removed, with remain-on-exit %s",
    async (remain) => {
      await host.tmux("new-session", "-d", "-s", "work");
      await host.tmux("set-option", "-g", "remain-on-exit", remain);
      expect(await refusal(creationOfEnded().create(window("gone", "agent_b")))).toBe(
        "unavailable: the pane exited before it became available",
      );
      expect(await host.tmux("list-windows", "-a", "-F", "#{window_name}")).not.toContain("gone");
      expect(created).toBe(0);
    },
  );

  test("the server that was started for it ends too", async () => {
    const made = creationOfEnded().create({ ...session(null), runtime: "agent_b" });
    expect(await refusal(made)).toStartWith("unavailable: ");
    expect(await host.serverEnds()).toBe(true);
  });

  test("a missing executable is refused as unavailable", async () => {
    const made = creation().create({ ...session(null), runtime: "agent_e" });
    expect(await refusal(made)).toBe("unavailable: the runtime is unavailable");
  });
});

describe("a link that changes between check and use", () => {
  /** A multiplexer that changes the file system right before it creates. */
  const racing = (change: () => Promise<void>) => {
    const mux = host.muxOf((args) => host.command(args));
    const create = mux.create.bind(mux);
    mux.create = async (...args) => {
      await change();
      return create(...args);
    };
    return creation({ mux });
  };

  test.each([
    [
      "started outside the roots",
      () => symlink(at("secret"), at("code/dir")),
      "forbidden: the directory is outside the configured creation roots",
    ],
    ["lost its directory", async () => {}, "not_found: directory not found"],
  ])("a pane that %s is ended", async (_, then, why) => {
    await mkdir(at("code/dir"));
    const maker = racing(async () => {
      await rm(at("code/dir"), { recursive: true });
      await then();
    });
    expect(await refusal(maker.create(session("raced", "code/dir")))).toBe(why);
    expect(await host.serverEnds()).toBe(true);
  });

  test("a pane that started outside the roots is ended though the link is right again", async () => {
    await mkdir(at("code/dir"));
    const maker = racing(async () => {
      await rename(at("code/dir"), at("code/aside"));
      await symlink(at("secret"), at("code/dir"));
      const paths = () => host.tmux("list-panes", "-a", "-F", "#{pane_current_path}");
      const hasBegun = async () => (await paths().catch(() => "")).includes(at("secret")) || null;
      void until(hasBegun).then(async () => {
        await rm(at("code/dir"));
        await rename(at("code/aside"), at("code/dir"));
      });
    });
    expect(await refusal(maker.create(session("raced", "code/dir")))).toStartWith("forbidden: ");
    expect(await host.serverEnds()).toBe(true);
  });

  test("a program that changes its directory after the start is not ended", async () => {
    const isSeen = `[ -e ${at("seen")} ]`;
    const moves = `cd ${at("secret")}; exec sleep 60`;
    await program("lives", `until ${isSeen}; do sleep 0.02; done; ${moves}`);
    const mux = host.muxOf((args) => host.command(args));
    const look = mux.look.bind(mux);
    mux.look = async (id) => {
      const seen = await look(id);
      if (seen?.directory === at("code")) await Bun.write(at("seen"), "");
      return seen;
    };
    const { pane_id } = await creation({ mux }).create({ ...session(null), runtime: "agent_a" });
    await until(
      async () => (await format(pane_id, "#{pane_current_path}")) === at("secret") || null,
    );
  });

  test("a requested link is resolved once, and the pane starts in the real directory", async () => {
    await mkdir(at("code/dir"));
    await symlink(at("code/dir"), at("code/link"));
    const maker = racing(async () => {
      await rm(at("code/link"));
      await symlink(at("secret"), at("code/link"));
    });
    const { pane_id } = await maker.create(session(null, "code/link"));
    expect(await format(pane_id, "#{pane_current_path}")).toBe(at("code/dir"));
  });
});

test("creation leaves the window, pane, size and zoom of an attached client alone", async () => {
  await host.tmux("new-session", "-d", "-s", "work");
  await host.tmux("split-window", "-t", "=work:");
  await host.attach("work", 101, 31);
  await host.tmux("resize-pane", "-Z", "-t", "%0");
  const seen = () =>
    host.tmux(
      "list-clients",
      "-F",
      "#{client_width}x#{client_height} #{session_name} #{window_id} #{window_width}x#{window_height} #{pane_id} #{pane_width}x#{pane_height} #{window_zoomed_flag}",
    );
  const before = await seen();
  expect(before).toBe("101x31 work @0 101x30 %0 101x30 1");
  await creation().create(session(null));
  await creation().create(window(null, "agent_a"));
  await creation().create(pane("%0"));
  await creation().create(pane("%1", 50));
  expect(await seen()).toBe(before);
});

test("a split of an unzoomed window leaves it unzoomed", async () => {
  await host.tmux("new-session", "-d", "-s", "work", "-x", "100", "-y", "30");
  await creation().create(pane("%0"));
  const seen = "#{pane_id} #{pane_active} #{window_zoomed_flag}";
  expect((await host.tmux("list-panes", "-t", "=work:", "-F", seen)).split("\n")).toEqual([
    "%0 1 0",
    "%1 0 0",
  ]);
});

test("a pane too small to split is a conflict without words of the multiplexer", async () => {
  await host.tmux("new-session", "-d", "-s", "work", "-x", "1", "-y", "1");
  expect(await refusal(creation().create(pane("%0")))).toBe(
    "conflict: the pane is too small to split",
  );
});

test("a multiplexer that cannot be started is unavailable", async () => {
  const mux = host.muxOf(() => ["/nonexistent/tmux"]);
  expect(await refusal(creation({ mux }).create(session(null)))).toBe(
    "unavailable: the multiplexer is unavailable",
  );
});

describe("a lost reply of the multiplexer", () => {
  /** Runs the command `word` and loses its reply; with `isGone` it runs no later command. */
  function losingReplyTo(word: string, isGone: boolean): MuxCreation {
    let isLost = false;
    return new MuxCreation({
      run: async (line, limits) => {
        const isIt = line[0]?.[0] === word;
        if (isLost && isGone) throw new RunError("not_found", "it was not asked");
        isLost ||= isIt;
        const argv = host.command(argumentsOf(line));
        const result = await run(argv, { ...limits, env: host.env });
        if (isIt) throw new RunError("aborted", "the link ended before the answer was there");
        return result;
      },
    });
  }
  const doubt = { kind: "unavailable", detail: { code: "delivery_unknown" } };

  test.each(["new-session", "list-panes", "set-option"])(
    "after a lost reply to %s creation is refused as delivery_unknown",
    async (word) => {
      await host.tmux("new-session", "-d", "-s", "work");
      const lost = creation({ mux: losingReplyTo(word, true) });
      expect(await refusalOf(lost.create(session("made")))).toMatchObject(doubt);
      expect(await host.tmux("list-sessions", "-F", "#S")).toContain("made");
    },
  );

  test("creation is plainly unavailable if the pane was removed again", async () => {
    await host.tmux("new-session", "-d", "-s", "work");
    const refused = await refusalOf(
      creation({ mux: losingReplyTo("set-option", false) }).create(session("made")),
    );
    expect(refused).toMatchObject({ kind: "unavailable" });
    expect(refused).not.toMatchObject(doubt);
    expect(await host.tmux("list-sessions", "-F", "#S")).toBe("work");
  });

  test("a close is refused as delivery_unknown if its reply is lost", async () => {
    const { pane_id } = await creation().create(session("goes"));
    const lost = creation({ mux: losingReplyTo("if-shell", true) });
    expect(await refusalOf(lost.close(pane_id))).toMatchObject(doubt);
  });
});

describe("an unexpected reply of the multiplexer", () => {
  const ANSWERED = { code: 0, stdout: new Uint8Array(), stderr: "" };
  /** Answers commands of these names without running them. */
  const replying = (replies: Record<string, Partial<RunResult>>) =>
    new MuxCreation({
      run: async (line, limits) => {
        const answer = replies[line[0]?.[0] ?? ""];
        if (answer) return { ...ANSWERED, ...answer };
        return run(host.command(argumentsOf(line)), { ...limits, env: host.env });
      },
    });
  const DENIED = { code: 1, stderr: "error connecting to /tmp/tmux-0/default (Permission denied)" };

  test("a close without permission is unavailable, not not_found", async () => {
    const { pane_id } = await creation().create(session("stays"));
    const denied = creation({ mux: replying({ "list-panes": DENIED }) });
    expect(await refusal(denied.close(pane_id))).toStartWith("unavailable: ");
  });

  test("creation is delivery_unknown if the new pane can be neither marked nor removed", async () => {
    await host.tmux("new-session", "-d", "-s", "work");
    const denied = creation({ mux: replying({ "set-option": DENIED, "if-shell": DENIED }) });
    expect(await refusalOf(denied.create(session("made")))).toMatchObject({
      ...{ kind: "unavailable", detail: { code: "delivery_unknown" } },
    });
    expect(await host.tmux("list-sessions", "-F", "#S")).toContain("made");
  });

  test("marking a pane that has gone answers false", async () => {
    await host.tmux("new-session", "-d", "-s", "work");
    expect(await host.mux.markCreated({ id: "%99", pid: "1", target: "" })).toBe(false);
  });

  test("a close succeeds for a dead pane without a pid", async () => {
    const ended = { stdout: new TextEncoder().encode(" 1 /code\n") };
    const mux = replying({ "list-panes": ended, "if-shell": {} });
    expect(await mux.look("%1")).toEqual({ pid: "", isDead: true, directory: "/code" });
    await creation({ mux }).close("%1");
  });

  test("a close succeeds if the server exits with the pane", async () => {
    const { pane_id } = await creation().create(session("last"));
    const ends = replying({ "if-shell": { code: 1, stderr: "server exited unexpectedly" } });
    await creation({ mux: ends }).close(pane_id);
    expect(await ends.close({ id: pane_id, pid: "1" }, true)).toBe(true);
  });
});

test("the multiplexer's words are the cause of a refusal", async () => {
  await host.tmux("new-session", "-d", "-s", "work", "-x", "80", "-y", "5");
  const place = { type: "window", sessionId: "$99", name: "x" } as const;
  expect(await causeOf(host.mux.create(place, at("code"), []))).toContain("can't find");
  expect(await causeOf(creationOfEnded().create(window("soon", "agent_b")))).toMatch(/gone|ended/);
});

describe("the state of creation", () => {
  test("the state has the reason why nothing can be created", async () => {
    const reasonOf = (change: Partial<CreationDeps>) => creation(change).capability().reason;
    expect(reasonOf({ enabled: false })).toBe("Creation is disabled in server configuration.");
    expect(reasonOf({ roots: [] })).toBe("No valid creation roots are configured.");
    expect(reasonOf({ muxUnavailable: () => "tmux is gone." })).toBe("tmux is gone.");
    expect(creation().capability()).toEqual({
      version: 1,
      supported: true,
      enabled: true,
      reason: null,
    });
    const disabled = creation({ enabled: false, paneDirectories: () => [at("code")] });
    expect(await disabled.state()).toMatchObject({
      enabled: false,
      roots: [],
      recent_directories: [],
    });
    expect(await refusal(disabled.create(session(null)))).toBe(
      "unavailable: Creation is disabled in server configuration.",
    );
  });

  test("the state drops a root that is gone, and has it again when it comes back", async () => {
    await mkdir(at("other"));
    const roots = ["code", "other"].map((label) => ({ label, path: at(label) }));
    const service = creation({ roots, paneDirectories: () => [at("code"), at("secret")] });
    await rename(at("code"), at("unmounted"));
    expect((await service.state()).roots).toEqual([{ label: "other", path: at("other") }]);
    expect(await refusal(service.create(session(null)))).toBe("not_found: directory not found");
    await rm(at("other"), { recursive: true });
    const reason = "No valid creation roots are configured.";
    expect(await service.state()).toMatchObject({ enabled: false, reason, roots: [] });
    expect(service.capability()).toMatchObject({ enabled: false, reason });
    expect(await refusal(service.browse(at("code/deep")))).toBe("not_found: directory not found");
    await rename(at("unmounted"), at("code"));
    const { roots: shown, recent_directories } = await service.state();
    expect(shown).toEqual([{ label: "code", path: at("code") }]);
    expect(recent_directories).toEqual([{ name: "code", path: at("code"), root_label: "code" }]);
    expect(service.capability().enabled).toBe(true);
    expect((await service.browse(at("code"))).path).toBe(at("code"));
  });
});

describe("closing a pane", () => {
  test("a pane created here is closed, another pane is refused unless closes is all", async () => {
    const service = creation();
    const { pane_id } = await service.create(session("goes"));
    const theirs = (await host.tmux("new-session", "-dPF", "#{pane_id}", "-s", "theirs")).trim();
    expect(await refusal(service.close(theirs))).toStartWith("forbidden: ");
    await service.close(pane_id);
    expect((await host.mux.list()).panes.has(pane_id)).toBe(false);
    expect((await host.mux.list()).panes.has(theirs)).toBe(true);
    expect(await refusal(service.close(pane_id))).toBe(`not_found: no pane ${pane_id}`);
    await creation({ closes: "all" }).close(theirs);
    expect((await host.mux.list()).panes.has(theirs)).toBe(false);
  });

  test("a pane with another process than expected is not closed", async () => {
    const { pane_id } = await creation().create(session("other"));
    const isClosed = await host.mux.close({ id: pane_id, pid: "1" }, true);
    expect(isClosed).toBe(false);
    expect((await host.mux.list()).panes.has(pane_id)).toBe(true);
  });

  test("closing is unavailable if creation is disabled", async () => {
    expect(await refusal(creation({ enabled: false }).close("%0"))).toStartWith("unavailable: ");
  });
});
