import type { Fault } from "./session.ts";
import { rowsOf, type Row } from "./screen.ts";
import {
  BASE_ENV,
  RecordedMachine,
  worldAround,
  worldOf,
  type RecordedCall,
  type RecordedSnapshot,
} from "./recorded.ts";
import { World, type Pane } from "./world.ts";

interface Library {
  calls: ReadonlyMap<string, RecordedCall>;
  snapshots: Record<string, { before: RecordedSnapshot; after: RecordedSnapshot }>;
}

/** The machine and environment that a recorded call is played against. */
interface Stage {
  machine: RecordedMachine;
  env: Record<string, string | undefined>;
}

/** Builds the state in which a call was recorded. */
export function stageOf(library: Library, call: RecordedCall): Stage {
  const machine = new RecordedMachine();
  const [folder = "", name = ""] = call.name.split("/");
  const env = { ...BASE_ENV, ...environmentOf(name), ...call.env };
  const build = BUILDERS[folder];
  if (build) build({ machine, library, call, name });
  else machine.add("demo", printedWorld(call));
  return { machine, env };
}

interface Building {
  machine: RecordedMachine;
  library: Library;
  call: RecordedCall;
  name: string;
}

const BUILDERS: Readonly<Record<string, (building: Building) => void>> = {
  cli({ machine, library }) {
    const world = demoWorld(library);
    const pane = world.pane("w1:p1");
    pane.foreground = {
      pgid: 22836,
      processes: [{ pid: 22836, name: "sh", argv: ["/bin/sh"], cwd: "/tmp/w/work" }],
    };
    pane.shellPid = 22836;
    machine.add("demo", world);
  },
  "send-text": ({ machine, library }) => void machine.add("demo", demoWorld(library)),
  "send-keys": ({ machine, library }) => void machine.add("demo", demoWorld(library)),
  session({ machine, library, call, name }) {
    const isDefault = name.startsWith("default-running") || name.startsWith("no-flag-running");
    if (isDefault) machine.add("default", printedWorld(call));
    if (isDefault || name.startsWith("empty-server")) machine.add("big", new World());
    machine.add("demo", demoWorld(library));
  },
  fake({ machine, name }) {
    const session = machine.add("fake", new World());
    session.protocol = Number(/^protocol-(\d+)/.exec(name)?.[1] ?? 20);
    if (session.protocol === 21) {
      session.version = "0.9.0";
      session.capabilities = { live_handoff: true, detached_server_daemon: false };
    }
    if (name === "pong-without-capabilities") session.capabilities = null;
    if (name.startsWith("socket-is-")) session.state = "killed";
    const rule = FAKE_FAULTS[name];
    if (rule) session.fail(rule.fault, { method: rule.method });
  },
  restart({ machine, library, name }) {
    const world = worldOf(library.snapshots.restart?.before ?? EMPTY);
    machine.add("demo", demoWorld(library));
    const session = machine.add("two", world);
    const state = (["stopped", "killed", "frozen"] as const).find((each) => name.startsWith(each));
    if (state) session.state = state;
    if (name === "old-id-after") world.restart();
  },
  life({ machine, library, name }) {
    const before = (which: string) => worldOf(library.snapshots[`life/${which}`]?.before ?? EMPTY);
    let world = before("move-to-other-workspace");
    if (name.startsWith("moved-other")) world.move("w1:p4", "w2:t1");
    if (name.startsWith("moved-same")) {
      world = before("move-to-other-tab");
      world.move("w1:p4", "w1:t2");
    }
    if (name.startsWith("after-move-back")) {
      world = before("move-to-other-workspace");
      world.move("w1:p4", "w2:t1");
      world.move("w2:p2", "w1:t1");
    }
    if (name.startsWith("closed")) {
      world = before("close-pane");
      world.close("w1:p1");
    }
    if (name.startsWith("exited")) {
      world = before("shell-exit");
      world.exit("w1:p2");
    }
    for (const pane of world.panes) pane.screen.show("demo$");
    machine.add("demo", world);
  },
  handoff: ({ machine, library }) =>
    void machine.add("two", worldOf(library.snapshots.handoff?.after ?? EMPTY)),
  guard({ machine, name }) {
    const world = worldAround(
      ...["w1:p9", "w1:pA", "w1:pF", "w1:p2P", "w1:p2K", "w1:p2N", "w2:p4"].map((pane_id) => ({
        pane_id,
        terminal_id: `term_${pane_id}`,
        workspace_id: pane_id.slice(0, 2),
        tab_id: `${pane_id.slice(0, 2)}:t1`,
        agent_status: "idle",
        cwd: "/tmp/w/work",
        foreground_cwd: "/tmp/w/work",
        revision: 0,
      })),
    );
    for (const id of ["w1:p9", "w1:pF", "w1:p2P", "w1:p2N"]) world.pane(id).agent = "claude";
    world.pane("w1:pF").isReported = true;
    for (const id of ["w1:p2P", "w1:p2N"]) world.pane(id).hasLostAgent = true;
    if (name.endsWith("old-id-after-move")) world.move("w1:p9", "w2:t1");
    machine.add("demo", world);
  },
  read: readBuilder,
};

const FAKE_FAULTS: Readonly<Record<string, { fault: Fault; method: string }>> = {
  "close-at-ping": { fault: "close", method: "ping" },
  "close-without-answer-send-text": { fault: "close_after", method: "pane.send_text" },
  "pane-send-failed": {
    fault: { error: { code: "pane_send_failed", message: "channel closed" } },
    method: "pane.send_text",
  },
  "server-unavailable": {
    fault: { error: { code: "server_unavailable", message: "server is shutting down" } },
    method: "pane.send_text",
  },
};

const EMPTY: RecordedSnapshot = { workspaces: [], tabs: [], panes: [], agents: [] };

function readBuilder({ machine, library, name }: Building): void {
  const { world, pane } = paneWorld(name.startsWith("odd") ? "w1:pF" : "w1:p3");
  const shownBy = (id: string) => library.calls.get(`read/${id}`)?.stdout ?? "";
  const { screen } = pane;
  if (name.startsWith("painted")) {
    const rows = shownBy("painted-recent-ansi").split("\r\n");
    const soft = rows.findIndex((row) => row.startsWith("Looo"));
    screen.screen = padded(
      rows.map((ansi, at) => ({ ansi, wraps: at >= soft && at < soft + 3 })),
      screen.rows,
    );
  } else if (name.startsWith("alt-screen")) {
    screen.alternate = true;
    screen.screen = padded(
      rowsOf(shownBy("alt-screen-recent-ansi").replaceAll("\r", "")),
      screen.rows,
    );
  } else if (name.startsWith("odd-bytes")) screen.show("a\ufffd\ufffdbcdef\ndemo$ ");
  else {
    const numbers = Array.from({ length: 3000 }, (_, index) => `${index + 1}`).join("\n");
    screen.print(`${numbers}\ndemo$ `);
  }
  machine.add("demo", world);
}

function paneWorld(id: string): { world: World; pane: Pane } {
  const world = new World();
  const pane = world.openPane(world.openTab(world.openWorkspace("demo")));
  pane.id = id;
  return { world, pane };
}

function demoWorld(library: Library): World {
  const snapshot = library.calls.get("cli/api-snapshot");
  return snapshot ? printedWorld(snapshot) : new World();
}

/** A world with the content of the call's own output: then only the form is compared. */
function printedWorld(call: RecordedCall): World {
  if (call.stdout.startsWith("{")) {
    const { result } = JSON.parse(call.stdout);
    if (result?.snapshot) return worldOf(result.snapshot);
    if (result?.pane) return worldAround(result.pane);
  }
  const { world, pane } = paneWorld(call.args[2] ?? "w1:p1");
  const source = call.stdout.replaceAll("\r", "").replace(/\n$/, "");
  pane.screen.rows = Math.max(pane.screen.rows, source.split("\n").length);
  pane.screen.show(source);
  return world;
}

function environmentOf(name: string): Record<string, string | undefined> {
  if (name === "home-only") return { XDG_CONFIG_HOME: undefined };
  if (name === "xdg-only") return { HOME: undefined };
  if (name === "no-home") return { HOME: undefined, XDG_CONFIG_HOME: undefined };
  return {};
}

function padded(rows: readonly Row[], count: number): Row[] {
  const blanks = Array.from({ length: count - rows.length }, () => ({ ansi: "", wraps: false }));
  return [...rows, ...blanks];
}
