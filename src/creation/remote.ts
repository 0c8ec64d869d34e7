import { AppError } from "../errors.ts";
import { isTransmittable } from "../lib/inside.ts";
import { quoteWord } from "../lib/words.ts";
import type { HostConfig } from "../protocol/hosts.ts";
import type { PaneState } from "../protocol/pane.ts";
import type { CreationPort } from "../terminal/provider.ts";
import { directoryNotFound, type Disk, type DiskEntry } from "./roots.ts";

/** Another machine, as it is watched. */
interface RemoteMachine {
  readonly config: Pick<HostConfig, "name" | "roots">;
  /** As its last pass has seen them. */
  readonly panes: readonly Pick<PaneState, "cwd">[];
  readonly poller: { pass(): Promise<void> };
  isLive(): boolean;
  /** @throws AppError conflict */
  requireLive(): void;
  run: RunScript;
}

export type RemotePlace = ReturnType<typeof remotePlace>;

/** The root is the home folder where none are configured. */
export function remotePlace(machine: RemoteMachine, mux: CreationPort) {
  const { name, roots = [{ label: "~", path: "~" }] } = machine.config;
  return {
    ...{ name, roots, mux },
    run: (script: string) => machine.run(script),
    muxUnavailable: () => (machine.isLive() ? null : `${name} is away.`),
    requireLive: () => machine.requireLive(),
    paneDirectories: () => machine.panes.map(({ cwd }) => cwd),
    created: () => machine.poller.pass(),
  };
}

/** @throws AppError where it does not answer */
type RunScript = (script: string) => Promise<{ code: number; stdout: string }>;

const MAX_ENTRIES = 2000;

/** `real PATH` sets `found` to its canonical path, if it can be read and has no line break. */
const REAL = `unset CDPATH
newline='
'
real() {
found=$(cd -P -- "$1" 2>/dev/null && [ -r . ] && pwd) || found=
case $found in *"$newline"*) found= ;; esac
}
`;

const LIST = `count=0
for entry in * .*; do
case $entry in .|..|*"$newline"*) continue ;; esac
[ -d "$entry" ] && [ -r "$entry" ] && [ -x "$entry" ] || continue
count=$((count + 1))
[ "$count" -gt ${MAX_ENTRIES} ] && break
if [ -h "$entry" ]; then real "./$entry"; [ "$found" ] && printf 'link %s/%s\\n' "$entry" "$found"
else printf 'folder %s\\n' "$entry"; fi
done
exit 0
`;

/** The disk of another machine, through its shell: what cannot be read does not exist. */
export function remoteDisk(run: RunScript): Disk {
  const path = async (script: string): Promise<string | null> => {
    const { code, stdout } = await run(script);
    const line = stdout.replace(/\n$/, "");
    return code === 0 && line.startsWith("/") && isTransmittable(line) ? line : null;
  };
  const real = (of: string) =>
    path(`${REAL}real ${quoteWord(of)}; [ "$found" ] && printf '%s\\n' "$found"`);
  return {
    async home() {
      const home = await path(`printf '%s\\n' "$HOME"`);
      if (home === null) throw new AppError("unavailable", "the host does not tell its home");
      return home;
    },
    real,
    readable: real,
    async nearest(of) {
      const part = quoteWord(of.replace(/\/+/g, "/"));
      const script = `${REAL}part=${part}
while real "$part"; [ -z "$found" ] && [ "$part" != / ]; do part=\${part%/*}; part=\${part:-/}; done
printf '%s\\n' "$found"`;
      return (await path(script)) ?? "/";
    },
    async entries(of) {
      const enter = `${REAL}real ${quoteWord(of)}; [ "$found" = ${quoteWord(of)} ] || exit 4
cd -P -- "$found" || exit 4
`;
      const { code, stdout } = await run(enter + LIST);
      if (code !== 0) throw directoryNotFound();
      return stdout.split("\n").flatMap((line) => entryOf(line, of) ?? []);
    },
    async which(executable) {
      const { code, stdout } = await run(`command -v -- ${quoteWord(executable)}`);
      const executablePath = stdout.trim();
      return code === 0 && isTransmittable(executablePath) ? executablePath : null;
    },
  };
}

function entryOf(line: string, folder: string): DiskEntry | null {
  const [, kind, name, linkTarget] = /^(folder|link) ([^/]+)(?:\/(\/.*))?$/.exec(line) ?? [];
  if (name === undefined || !isTransmittable(line)) return null;
  const isLink = kind === "link";
  const path = isLink ? linkTarget : `${folder === "/" ? "" : folder}/${name}`;
  return path === undefined ? null : { name, isLink, readable: async () => path };
}
