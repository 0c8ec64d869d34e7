// The first step of every README command. Node's built-ins only, since nothing is installed yet:
// brings the packages of the lock file, Bun and the Debian packages that are missing, then hands
// over to Bun.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL(".", import.meta.url));
const BIN = join(ROOT, "node_modules", ".bin");
const BUN = join(BIN, "bun");
const EXECUTABLE = join(ROOT, "dist", "panewatch");
const APT_TIMEOUT_MS = 10 * 60_000;

const TMUX = { name: "tmux", found: () => onPath("tmux") };
const SSHD = { name: "openssh-server", found: () => existsSync("/usr/sbin/sshd") };
/** Login shells of other machines. What cannot be had is told by the tests that go without it. */
const SHELLS = ["bash", "busybox", "dash", "fish", "zsh"].map((name) => ({
  name,
  found: () => onPath(name),
  isOptional: true,
}));
const GIT = { name: "git", found: () => onPath("git") };
const BROWSER = [
  { name: "chromium", found: () => onPath("chromium") },
  { name: "fonts-dejavu-core", found: () => debianHas("fonts-dejavu-core") },
  { name: "fonts-noto-core", found: () => debianHas("fonts-noto-core") },
  { name: "fonts-noto-color-emoji", found: () => debianHas("fonts-noto-color-emoji") },
  { name: "fonts-noto-cjk", found: () => debianHas("fonts-noto-cjk") },
];

/** What each command needs from the system, and what Bun then runs: lists of arguments. */
const COMMANDS = {
  start: { needs: [TMUX], steps: (args) => [bun("build.ts"), [EXECUTABLE, ...args]] },
  demo: { needs: [TMUX], steps: (args) => [bun("build.ts"), [EXECUTABLE, "demo", ...args]] },
  test: {
    needs: [TMUX, ...SHELLS, GIT, SSHD, ...BROWSER],
    steps: (args) => [bun("tests/all.ts", ...args)],
  },
  "test:all": {
    needs: [TMUX, ...SHELLS, GIT, SSHD, ...BROWSER],
    steps: (args) => [bun("tests/all.ts", "--thorough", ...args)],
  },
  build: { needs: [], steps: (args) => [bun("build.ts", ...args)] },
  bench: {
    needs: [TMUX, GIT, SSHD, ...BROWSER],
    steps: (args) => [bun("tests/bench/all.ts", ...args)],
  },
  soak: { needs: [TMUX], steps: (args) => [bun("tests/soak/soak.ts", ...args)] },
  shots: { needs: [TMUX, ...BROWSER], steps: (args) => [bun("tests/browser/shots.ts", ...args)] },
  power: {
    needs: [TMUX, ...SHELLS, GIT],
    steps: (args) => [bun("tests/power/power.ts", ...args)],
  },
  live: { needs: [TMUX], steps: (args) => [bun("tests/live/all.ts", ...args)] },
};

const [name = "start", ...args] = process.argv.slice(2);
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : null;
if (!command) stop(`unknown command "${name}"; known: ${Object.keys(COMMANDS).join(", ")}`);

process.chdir(ROOT);
const env = environment();
const missing = command.needs.filter((need) => !need.found());
requireInstallable(missing);
// npm unpacks while apt-get downloads; what it began it ends before anything stops.
const packages = installPackages();
const systemFailure = installSystem(missing);
await packages;
if (systemFailure !== null) stop(systemFailure);
installBun();
for (const step of command.steps(args)) {
  const code = await runStep(step);
  if (code !== 0) process.exit(code);
}

/** Bun without the `.env` of the folder it is started in. */
function bun(...rest) {
  return [BUN, "--no-env-file", ...rest];
}

/** A bare shell has none of these, and programs below (tmux, shells in panes) expect them. */
function environment() {
  return {
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    SHELL: "/bin/sh",
    USER: process.getuid?.() === 0 ? "root" : "user",
    ...process.env,
    PATH: [BIN, process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin"].join(delimiter),
  };
}

/** Installs exactly what the lock file says, once for each content of the lock file. */
async function installPackages() {
  const stamp = join(ROOT, "node_modules", ".panewatch-lock");
  const lock = createHash("sha256").update(readFileSync("package-lock.json")).digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  say("installing the packages of package-lock.json");
  const argv = ["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"];
  if ((await runStep(argv, ["ignore", 2, 2])) !== 0)
    stop("npm ci failed (above); it needs a reachable package registry");
  writeFileSync(stamp, lock);
}

/** npm may have been told not to run install scripts: then Bun's own has not run either. */
function installBun() {
  if (runs([BUN, "--version"])) return;
  spawnSync(process.execPath, [join("node_modules", "bun", "install.js")], {
    stdio: ["ignore", 2, 2],
    env,
  });
  if (!runs([BUN, "--version"])) stop("Bun does not run; remove node_modules and try again");
}

function requireInstallable(missing) {
  const names = namesNeeded(missing);
  if (names.length === 0 || canInstall()) return;
  stop(
    `${hintOf(names)}. Install with your package manager, on Debian: apt-get install ${names.join(" ")}`,
  );
}

/** @returns why what is needed could not be had, else null. */
function installSystem(missing) {
  const names = namesNeeded(missing);
  // Fresh lists first: without them apt-get knows no package, with old ones it asks for gone ones.
  if (names.length > 0) {
    say(`installing ${names.join(", ")} with apt-get`);
    apt("update", "-qq");
    if (!install(names)) return `${hintOf(names)}, and apt-get could not install it (above)`;
  }
  if (canInstall()) offer(missing.filter((need) => need.isOptional));
  return null;
}

function namesNeeded(missing) {
  return missing.filter((need) => !need.isOptional).map((need) => need.name);
}

function hintOf(names) {
  return `needed and not installed: ${names.join(", ")}`;
}

function canInstall() {
  return process.getuid?.() === 0 && onPath("apt-get");
}

/** Installs what the tests can do without, where that is quickly had. */
function offer(missing) {
  const names = missing.map(({ name }) => name);
  if (names.length === 0) return;
  const hurried = ["-o", "Acquire::http::Timeout=10", "-o", "Acquire::Retries=0"];
  say(`installing ${names.join(", ")} with apt-get`);
  if (install(names, hurried)) return;
  apt(...hurried, "update", "-qq");
  for (const name of names)
    if (!install([name], hurried)) say(`${name} cannot be had; it goes without`);
}

function install(names, options = []) {
  return apt(...options, "install", "-qq", "-y", "--no-install-recommends", ...names).status === 0;
}

function apt(...list) {
  // A machine that has just started may be installing its own updates: wait for the lock.
  const patient = ["-o", "DPkg::Lock::Timeout=120", "-o", "Acquire::Retries=3"];
  return spawnSync("apt-get", [...patient, ...list], {
    stdio: ["ignore", 2, 2],
    env: { ...env, DEBIAN_FRONTEND: "noninteractive" },
    timeout: APT_TIMEOUT_MS,
  });
}

function onPath(file) {
  const folders = (process.env.PATH ?? "/usr/bin:/bin").split(delimiter);
  return folders.some((folder) => existsSync(join(folder, file)));
}

/** Fonts have no command to look for. Off Debian they are taken as present: nothing breaks. */
function debianHas(name) {
  if (!onPath("dpkg-query")) return true;
  const argv = ["-W", "-f=${db:Status-Abbrev}", name];
  const { stdout } = spawnSync("dpkg-query", argv, { encoding: "utf8" });
  return (stdout ?? "").startsWith("ii");
}

function runs(argv) {
  return spawnSync(argv[0], argv.slice(1), { stdio: "ignore", env }).status === 0;
}

/** Runs one step to its end and passes signals on, so that Ctrl-C reaches the service once. */
function runStep(argv, stdio = "inherit") {
  return new Promise((resolve) => {
    const child = spawn(argv[0], argv.slice(1), { stdio, env });
    const forward = (signal) => child.kill(signal);
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
    for (const signal of signals) process.on(signal, forward);
    child.on("error", (error) => stop(`${argv[0]} cannot be started: ${error.message}`));
    child.on("close", (code, signal) => {
      for (const each of signals) process.off(each, forward);
      resolve(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}

function say(text) {
  process.stderr.write(`panewatch: ${text}\n`);
}

function stop(text) {
  say(text);
  process.exit(2);
}
