import type { SeenHost } from "../../src/protocol/tolerant.ts";
import { count, timeOfDay } from "./common.ts";

const ago = (seconds: number): string =>
  seconds < 1
    ? "now"
    : seconds < 60
      ? `in ${Math.ceil(seconds)} s`
      : `in ${Math.ceil(seconds / 60)} min`;

export const hosts = {
  title: "Machines",
  all: "All machines",
  filter: "Filter by machine",
  open: "Machines",
  panes: (n: number) => count(n, "pane", "panes"),
  awaySince: (since: number) => `away since ${timeOfDay(since)}`,
  isAway: (name: string) => `${name} is away`,
  areAway: (n: number) => `${n} machines are away`,
  since: (since: number, reason: string) => `Away since ${timeOfDay(since)}. ${reason}`.trim(),
  isAwaySince: (name: string, since: number) => `${name} is away since ${timeOfDay(since)}`,
  lastKnown: "Last known screens.",
  answersReturn: "Answers return with it.",
  tries: (seconds: number | null) => {
    if (seconds === null) return "It is not tried again by itself.";
    return seconds < 1 ? "Tried again now." : `Tried again ${ago(seconds)}.`;
  },
  trying: "Trying now.",
  reasons: {
    unreachable: "It cannot be reached.",
    unknown_host_key: "Its host key is not known to this server.",
    changed_host_key: "Its host key is another one than before.",
    refused_key: "It does not take this server’s key.",
    no_tmux: "No tmux was found there.",
    old_tmux: "Its tmux is older than 3.2.",
    no_shell: "No shell answered there.",
    timeout: "It did not answer in time.",
    ended: "The connection ended.",
    unknown: "",
  },

  watched: "Watched",
  thisServer: "this server",
  off: "off",
  about: (host: Pick<SeenHost, "panes" | "ssh" | "status" | "version">) =>
    [
      host.status === "off" ? "" : count(host.panes, "pane", "panes"),
      host.version === null ? "" : `tmux ${host.version}`,
      host.ssh === null ? "" : `ssh ${host.ssh}`,
    ]
      .filter((text) => text !== "")
      .join(" · "),
  notWatched: "not watched",
  liveSince: (since: number) => (since === 0 ? "" : `since ${timeOfDay(since)}`),
  roundTripOf: (ms: number | null) => (ms === null ? "" : `${Math.round(ms)} ms round trip`),
  connecting: "Connecting",
  details: (name: string) => `${name}: more`,
  watch: "Watch it",
  remove: "Remove",
  removeText: "Its panes go from every list. Names and stars are kept.",
  removeNow: "Remove it",
  notDone: (reason: string) => (reason === "" ? "Not done." : `Not done: ${reason}`),
  lost: "Not done: the server did not answer.",
  add: "Add a machine",
  cannot: "This server watches its own machine only.",
  alone:
    "panewatch watches the machine it runs on. Add others to see their panes in the same lists.",
  text: "Machines are reached with this server’s own ssh, its keys and its configuration. Nothing is installed there. One that is away keeps its last screens and holds up no other. Agent sessions and changes of files are read on this server only.",
  workspaceHere: "Of several machines, sessions of this server’s own are read.",
  byHand: "Connect once by hand",
  byHandText:
    "panewatch never accepts a key by itself. On the server, run this, and answer what ssh asks:",
  tryByHand: "Try it on the server",
  tryByHandText: "It tells more than panewatch is told:",
  copy: "Copy the command",

  destination: "Name or address, as you would give it to ssh",
  name: "Called here",
  nameHint: "a to z, 0 to 9 and -",
  check: "Check",
  again: "Try again",
  checking: "Checking",
  addIt: "Add",
  adding: "Adding",
  added: (name: string) => `${name} is watched.`,
  triedAt: (at: number) => `tried ${timeOfDay(at)}`,
  ready: "ready",
  notYet: "not yet",
  done: "Done",
  failed: "Failed",
  notTried: "Not tried",
  /** A tmux tells its version; others how long they took, where that is long enough to be felt. */
  stepDone: (
    done: string,
    { detail, ms }: { readonly detail: string | null; readonly ms: number },
  ) => done + (detail !== null ? ` ${detail.replace(/^tmux /, "")}` : ms < 10 ? "" : `, ${ms} ms`),
  steps: {
    resolve: { todo: "Address", done: "Its address is known", failed: "Its address is not known" },
    connect: { todo: "Reached", done: "Reached", failed: "It cannot be reached" },
    host_key: {
      todo: "Host key",
      done: "Its host key is known",
      failed: "Its host key is not accepted",
    },
    sign_in: { todo: "Signed in", done: "Signed in", failed: "It does not let this server in" },
    shell: { todo: "A shell", done: "A shell answers", failed: "No shell answers" },
    tmux: { todo: "tmux 3.2 or newer", done: "tmux", failed: "It needs tmux 3.2 or newer" },
  },

  facts: {
    reached: "Reached by",
    read: "Last read",
    why: "Why not",
    next: "Next try",
    panes: "Panes",
    version: "tmux",
    roundTrip: "Round trip",
  },
  nextTry: (seconds: number | null) => (seconds === null ? "when you ask" : ago(seconds)),
  keptAs: (n: number) => `${n}, kept as they were`,
  ms: (n: number) => `${n} ms`,
};
