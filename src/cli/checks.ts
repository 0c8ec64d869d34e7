import { LABELS } from "../detect/agents.ts";
import { isLoopback } from "../lib/loopback.ts";

export interface MuxFacts {
  /** Why the executable cannot be used. */
  refusal: string | null;
  executable: string;
  version: string;
  /** Null: the server could not be asked, for this reason. */
  server: { socket: string | null; panes: number | null; failure: string | null };
}

export interface WspFacts {
  /** Why nothing could be asked. */
  refusal: string | null;
  executable: string;
  /** Every check of the start, up to the first that failed. */
  findings: readonly { check: string; found: string; fault: { remedy: string } | null }[];
  /** Settings that only tmux knows and that differ from their defaults. */
  ignored: readonly string[];
}

/** What one look at this machine found; gathering it is `doctor.ts`, judging it is here. */
export interface DoctorFacts {
  versions: { panewatch: string; bun: string; system: string };
  config: {
    path: string | null;
    /** Why the file stops the start. */
    refusal: string | null;
    warnings: readonly string[];
    /** Only what differs from the defaults; secrets are masked already. */
    values: readonly { key: string; value: string; source: string }[];
    /** Others on this machine may read the file, and the token is in it. */
    exposesToken: boolean;
  };
  /** The other one is not looked at. */
  multiplexer: { provider: "mux"; mux: MuxFacts } | { provider: "wsp"; wsp: WspFacts };
  state: {
    path: string;
    exists: boolean;
    isWritable: boolean;
    /** Files and folders of ours that others may open, with their mode. */
    open: readonly { path: string; mode: string }[];
    /** Files that were moved aside as corrupt. */
    corrupt: readonly string[];
  };
  bind: {
    host: string;
    port: number;
    tokenChars: number;
    listener: "free" | "panewatch" | "other" | { failure: string };
  };
  runtimes: readonly { id: string; executable: string; path: string | null }[];
  usage: { enabled: boolean; executable: string; path: string | null };
  creation: {
    enabled: boolean;
    roots: readonly string[];
    /** A sentence for each configured root that is none. */
    dropped: readonly string[];
  };
  naming: { enabled: boolean; backend: string; executable: string | null; path: string | null };
  images: { folder: string; isLinkOrFile: boolean };
  /** Where a phone reaches the service, the likeliest first. */
  phone: { urls: readonly string[]; isLocal: boolean };
  /** Null: there is no service manager that we know. */
  service: { isInstalled: boolean; isRunning: boolean | { unknown: string } } | null;
}

export interface Check {
  level: "ok" | "warn" | "fail";
  text: string;
  /** What to do about it. */
  remedy?: string;
}

export interface Section {
  title: string;
  checks: readonly Check[];
}

const MIN_TOKEN_CHARS = 16;

const ok = (text: string): Check => ({ level: "ok", text });
const warn = (text: string, remedy: string): Check => ({ level: "warn", text, remedy });
const fail = (text: string, remedy: string): Check => ({ level: "fail", text, remedy });

export function examine(facts: DoctorFacts): Section[] {
  return [
    { title: "Versions", checks: versionChecks(facts) },
    { title: "Configuration", checks: configChecks(facts) },
    { title: "Multiplexer", checks: multiplexerChecks(facts) },
    { title: "State", checks: stateChecks(facts) },
    { title: "Address", checks: bindChecks(facts) },
    { title: "Runtimes", checks: runtimeChecks(facts) },
    { title: "Optional parts", checks: optionalChecks(facts) },
  ];
}

export function hasFailure(sections: readonly Section[]): boolean {
  return sections.some(({ checks }) => checks.some(({ level }) => level === "fail"));
}

const SIGNS = { ok: "ok  ", warn: "note", fail: "FAIL" } as const;

export function renderReport(sections: readonly Section[]): string {
  const blocks = sections.map(({ title, checks }) =>
    [title, ...checks.flatMap((check) => checkLines(check))].join("\n"),
  );
  const failures = sections.flatMap(({ checks }) => checks).filter(({ level }) => level === "fail");
  const summary = failures.length === 0 ? "Ready." : `${failures.length} to mend before it works.`;
  return `${blocks.join("\n\n")}\n\n${summary}\n`;
}

function checkLines({ level, text, remedy }: Check): string[] {
  const line = `  ${SIGNS[level]}  ${text}`;
  return remedy === undefined ? [line] : [line, `        -> ${remedy}`];
}

function versionChecks({ versions }: DoctorFacts): Check[] {
  return [ok(`panewatch ${versions.panewatch}, Bun ${versions.bun}, ${versions.system}`)];
}

function configChecks({ config }: DoctorFacts): Check[] {
  const { path, refusal, warnings, values, exposesToken } = config;
  const checks: Check[] = [];
  if (refusal !== null) checks.push(fail(refusal, "correct the file; the service does not start"));
  else checks.push(ok(path ?? "no file given; defaults hold"));
  for (const warning of warnings) checks.push(warn(warning, "correct or remove it"));
  for (const { key, value, source } of values) checks.push(ok(`${key} = ${value} (${source})`));
  if (exposesToken && path !== null)
    checks.push(warn(`others may read ${path}, which holds the token`, `chmod 600 ${path}`));
  return checks;
}

function multiplexerChecks({ multiplexer }: DoctorFacts): Check[] {
  return multiplexer.provider === "mux" ? muxChecks(multiplexer.mux) : wspChecks(multiplexer.wsp);
}

function wspChecks({ refusal, executable, findings, ignored }: WspFacts): Check[] {
  if (refusal !== null) return [fail(refusal, "see docs/wsp.md")];
  const checks = [ok(`herdr at ${executable}`)];
  for (const { check, found, fault } of findings)
    checks.push(fault ? fail(`${check}: ${found}`, fault.remedy) : ok(`${check}: ${found}`));
  for (const key of ignored) checks.push(warn(`${key} has no effect with wsp`, "remove it"));
  return checks;
}

function muxChecks(mux: MuxFacts): Check[] {
  if (mux.refusal !== null)
    return [fail(mux.refusal, "install tmux 3.2 or newer, or set mux.binary to its path")];
  const checks = [ok(`tmux ${mux.version} at ${mux.executable}`)];
  const { socket, panes, failure } = mux.server;
  if (failure !== null)
    checks.push(fail(`the server does not answer: ${failure}`, "see mux.socket and TMUX_TMPDIR"));
  else if (panes === null) checks.push(ok("no session yet; panes appear when there is one"));
  else checks.push(ok(`server at ${socket ?? "an unknown socket"}, ${panes} panes`));
  return checks;
}

function stateChecks({ state }: DoctorFacts): Check[] {
  const checks: Check[] = [];
  if (!state.isWritable)
    checks.push(
      fail(`${state.path} cannot be written`, `make it writable for this user, or use --config`),
    );
  else checks.push(ok(state.exists ? state.path : `${state.path} (made at the first start)`));
  for (const { path, mode } of state.open)
    checks.push(warn(`${path} has mode ${mode}: others may open it`, `chmod go= ${path}`));
  for (const path of state.corrupt)
    checks.push(warn(`${path} was set aside as corrupt`, "remove it when nothing in it is needed"));
  return checks;
}

function bindChecks({ bind }: DoctorFacts): Check[] {
  const { host, port, tokenChars, listener } = bind;
  const at = `${host} port ${port}`;
  const checks: Check[] = [];
  if (tokenChars > 0) checks.push(ok("a token is set"));
  else if (isLoopback(host)) checks.push(ok("no token: only this machine can connect"));
  else
    checks.push(
      fail(`refusing to bind ${host} with an empty token`, "set server.token in the file"),
    );
  if (tokenChars > 0 && tokenChars < MIN_TOKEN_CHARS)
    checks.push(
      warn(`the token has ${tokenChars} characters`, "use a long random one: openssl rand -hex 32"),
    );
  if (listener === "free") checks.push(ok(port === 0 ? `${host}, any free port` : `${at} is free`));
  else if (listener === "panewatch") checks.push(ok(`panewatch runs at ${at}`));
  else if (listener === "other")
    checks.push(fail(`${at} is taken by another program`, "choose another port with --port"));
  else checks.push(fail(`cannot listen on ${at}: ${listener.failure}`, "see --host and --port"));
  return checks;
}

function runtimeChecks({ runtimes }: DoctorFacts): Check[] {
  return runtimes.map(({ id, executable, path }) =>
    ok(`${LABELS[id] ?? id}: ${path ?? `${executable} is not installed`}`),
  );
}

function optionalChecks(facts: DoctorFacts): Check[] {
  return [
    usageCheck(facts.usage),
    ...creationChecks(facts.creation),
    namingCheck(facts.naming),
    imagesCheck(facts.images),
    pairingCheck(facts),
    serviceCheck(facts.service),
  ];
}

function usageCheck({ enabled, executable, path }: DoctorFacts["usage"]): Check {
  if (!enabled) return ok("usage: off");
  if (path !== null) return ok(`usage: ${path}`);
  return warn(`usage: ${executable} is not installed`, "install it, or set usage.command");
}

function creationChecks({ enabled, roots, dropped }: DoctorFacts["creation"]): Check[] {
  if (!enabled) return [ok("creation: off")];
  const checks = dropped.map((why) => warn(why, "correct it in creation.roots"));
  if (roots.length > 0) return [...checks, ok(`creation: in ${roots.join(", ")}`)];
  return [...checks, warn("creation: no valid root, so that it is off", "set creation.roots")];
}

function namingCheck({ enabled, backend, executable, path }: DoctorFacts["naming"]): Check {
  if (!enabled) return ok("naming by a model: off");
  if (executable === null) return ok(`naming by a model: ${backend}`);
  if (path !== null) return ok(`naming by a model: ${backend}, ${path}`);
  return warn(
    `naming by a model: ${executable} is not installed`,
    `install it, or set auto_naming.${backend}_bin`,
  );
}

function imagesCheck({ folder, isLinkOrFile }: DoctorFacts["images"]): Check {
  if (!isLinkOrFile) return ok(`images: in ${folder}`);
  return warn(`images: ${folder} is a link or no folder, so that uploads are refused`, "remove it");
}

function pairingCheck({ bind, phone }: DoctorFacts): Check {
  if (bind.tokenChars === 0) return ok("pairing: off, as no token is set");
  if (!phone.isLocal) return ok(`pairing: a phone reaches ${phone.urls.join(", ")}`);
  return warn(
    "pairing: only this machine can connect",
    "put HTTPS in front, such as tailscale serve, and set server.public_urls",
  );
}

function serviceCheck(service: DoctorFacts["service"]): Check {
  if (service === null) return ok("service: this system has no systemd or launchd");
  if (!service.isInstalled) return ok("service: not installed (panewatch service install)");
  if (typeof service.isRunning === "object")
    return warn(
      `service: installed; whether it runs cannot be told: ${service.isRunning.unknown}`,
      "ask from a session that has a user bus",
    );
  if (service.isRunning) return ok("service: installed and running");
  return warn("service: installed, but not running", "panewatch service install starts it");
}
