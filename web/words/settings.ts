import { count } from "./common.ts";

export const settings = {
  title: "Settings",
  back: "Back to settings",
  thisBrowser: "this browser",
  thisDevice: "this device",
  everyone: "everyone",

  phone: "Phone and alerts",
  phoneState: (isOn: boolean, others: number) =>
    `This device: alerts ${isOn ? "on" : "off"}` +
    (others === 0 ? "" : ` · ${count(others, "more device", "more devices")}`),
  phoneNoPush: "Alerts while this page is open",
  lookState: (theme: string, tab: string) => `${theme} · starts with ${tab}`,
  terminalState: (size: number, wraps: boolean) =>
    `${size} px · lines ${wraps ? "wrap" : "do not wrap"}`,
  workspaceState: (sessions: number, days: number) =>
    `On · ${count(sessions, "session", "sessions")} · kept for ${count(days, "day", "days")}`,
  serverState: (...known: readonly [host: string, version: string, provider: string]) => {
    const [host, version, provider] = known;
    return [host, `panewatch ${version}`, provider].filter((text) => text !== "").join(" · ");
  },

  look: "Look",
  theme: "Theme",
  themes: { system: "Auto", light: "Light", dark: "Dark" },
  destination: "Open at",
  destinationHint: "Where the app starts",

  terminal: "Terminal",
  textSize: "Text size",
  pixels: (n: number) => `${n} px`,
  wrap: "Wrap lines",
  follow: "Follow new output",
  colours: "Colours of the terminal",
  tintDiffs: "Tint added and removed lines",
  keys: "Keys",
  keysHint: "Which ones stand above the message",
  keysNone: "The server allows no keys.",

  answering: "Answering",
  answerWith: "Answer with",
  answerWithHint: "How an answer is sent",
  answerModes: { tap: "One tap", confirm: "Tap and confirm", hold: "Hold" },
  showCursor: "Show highlighted answer",
  showCursorHint: "Mark what the terminal has selected",
  enterSends: "Enter sends",
  enterSendsHint: "Shift Enter begins a new line",
  askOnce: "Ask once more",
  askOnceHint: "Before an answer that does one of these is sent",
  askGrant: "Allows it from then on",
  askDelete: "Deletes for good",
  askForce: "Forces a push",
  askRoot: "Runs as root",
  askInternet: "Runs from the internet",
  snippets: "Snippets",
  snippet: (n: number) => `Snippet ${n}`,
  newSnippet: "New snippet",
  add: "Add",
  remove: (text: string) => `Remove “${text}”`,
  snippetsText:
    "They are put into a message and never sent by themselves. The first one is what “Continue then” says.",
  singleKeys: "Single keys on the keyboard",

  whileOpen: "While this page is open",
  notifyErrors: "Also for errors",
  sound: "Sound",
  vibrate: "Vibration",
  badge: "Badge on the app icon",

  lowData: "Low data",
  lowDataHint: "Only what is needed, smaller images",

  version: (client: string, server: string) =>
    server === "" || server === client
      ? `panewatch ${client}`
      : `panewatch ${client}, server ${server}`,

  server: "Server",
  watching: "Watching",
  named: "Names",
  poll: "Poll interval",
  pollHint: "Seconds between two looks, 0.2 to 10",
  captured: "Captured lines",
  capturedHint: "For each pane, 40 to 2000",
  discover: "Show every pane",
  discoverHint: "Else only those with a name or kind of their own",
  shells: "Show idle shells",
  naming: "Names from",
  namingModes: {
    pane: "Pane",
    window_pane: "Window, pane",
    session_pane: "Session, pane",
    session_window_pane: "Session, window, pane",
    title: "Title",
    window: "Window",
    target: "Target",
    command: "Command",
    smart: "What it does",
  },

  detection: "Detection",
  prompts: "Prompt patterns",
  promptsText:
    "A pane without rules of its own waits when one of these is found at the end of its text. Regular expressions, upper and lower case differ.",
  errors: "Error patterns",
  errorsText: "A pane has failed when one of these is found. ^ and $ match at each line.",
  patternCount: (n: number, most: number) => `${n} of ${most}`,
  pattern: (n: number) => `Pattern ${n}`,
  newPattern: "New pattern",
  panes: "Names and kinds",
  panesText: "For panes by their target, also while they are not running.",
  panesNone: "Nothing is set. A star or a name makes an entry.",
  paneTarget: "Target",
  paneTargetPlaceholder: "session:window.pane",
  paneName: (target: string) => `Name of ${target}`,
  paneNamePlaceholder: "Name",
  paneKind: (target: string) => `Kind of ${target}`,
  kindAuto: "Kind: found out",
  paneStar: (target: string) => `Star ${target}`,
  removePane: (target: string) => `Remove the entry of ${target}`,

  usage: "Usage",
  usageEnabled: "Collect usage",
  usageHint: "Tokens, money and quotas of the agents",
  usageMissing: "The collector is not installed on the server.",
  usageFailed: (reason: string) => `The collector failed: ${reason}`,
  quota: "Quotas every",
  quotaHint: "Seconds, 30 to 3600",
  report: "Reports every",
  reportHint: "Seconds, 60 to 3600",
  threshold: "Warn at",
  thresholdHint: "Percent left of a quota",

  workspace: "Agent workspace",
  on: "On",
  off: "Off",
  workspaceSwitch: "Read agent sessions",
  workspaceWhose: "Experimental · for everyone on this server",
  workspaceUnavailable: "It cannot run now",
  workspaceNone: "This server has no agent workspace.",
  workspaceGives: "What you get",
  workspaceGivesText:
    "What changed since you last looked. A page for each agent with its goal, progress and blockers, what was said, and its history. Answers to its questions.",
  workspaceReads: "What it reads, and what becomes of it",
  workspaceFacts: (days: number) => ({
    reads: {
      subject: "Reads",
      text: "the session logs that Claude Code and Codex keep on the server, usually below ~/.claude and ~/.codex. It never writes there.",
    },
    keeps: {
      subject: "Keeps",
      text: `what was said, plans, tasks, questions and answers, in one file on the server, for ${count(days, "day", "days")}.`,
    },
    leavesOut: {
      subject: "Leaves out",
      text: "tool calls and their output, and what a model thinks. Paths of logs are never shown.",
    },
    sendsNothing: {
      subject: "Sends nothing",
      text: "of it anywhere, alerts included. Whoever has this server’s token can read it.",
    },
    off: {
      subject: "Off",
      text: "stops reading and keeps what is there. History is deleted on an agent’s page.",
    },
  }),
  clear: "Delete all that was read",
  clearHint: "Of every session, for everyone on this server",
  clearForGood:
    "Messages, timelines, decisions, reviews. The agents’ own logs stay, and what is older is not read again. It cannot be taken back.",
  clearOpen: "Delete",
  clearNow: "Delete all",
  clearing: "Deleting",
  cleared: "All that was read is deleted.",
  notCleared: (reason: string) => (reason === "" ? "Not deleted." : `Not deleted: ${reason}`),
  clearLost: "Nobody knows whether it was deleted: the server did not answer.",
  workspaceReading: "Reading",
  workspaceReview: "Review",
  workspaceWindow: (minutes: number | null) =>
    minutes === null ? "collects nothing" : `every ${minutes} min`,
  workspaceRead: (sessions: number, time: string | null) =>
    count(sessions, "session", "sessions") + (time === null ? "" : `, the last line at ${time}`),

  pairHint: "By a code that works once",

  ownersOnly: "Only an owner changes these: this device was let in for less.",

  saving: "Saving",
  failed: (reason: string) => (reason === "" ? "Not saved." : `Not saved: ${reason}`),
  lost: "Not saved: the server did not answer.",
};
