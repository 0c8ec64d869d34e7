import { lazy } from "./lazy.ts";

const day = lazy(() => new Intl.DateTimeFormat("en", { day: "numeric", month: "long" }));

/** Epoch seconds as a day: "3 November". */
export const dayOf = (at: number): string => {
  const parts = day().formatToParts(new Date(at * 1000));
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? "";
  return `${part("day")} ${part("month")}`;
};

export const notifications = {
  thisDevice: "Alerts on this device, also while this page is closed",
  thisPhone: "This phone",
  thisBrowser: "This browser",
  onHomeScreen: (browser: string) => `${browser}, on the home screen`,
  browserOn: (browser: string, system: string) => `${browser} on ${system}`,

  tags: {
    ready: "ready",
    off: "off",
    oneStep: "one step left",
    blocked: "blocked",
    impossible: "not possible here",
    dropped: "not subscribed",
    server: "server",
  },
  steps: {
    https: ["Encrypted page", "Not an encrypted page"],
    home_screen: ["On the home screen", "Not opened from the home screen"],
    supported: ["This browser knows them", "This browser has none for this page"],
    allowed: ["Allowed", "The browser blocks notifications of this page"],
    subscribed: ["Subscribed", "The push service has dropped the subscription"],
    server: ["Accepted by the push service", "The push service refuses this server"],
  },
  thisMachine: "Secure page (this machine)",
  done: "Done:",
  failed: "Failed:",
  open: "Still to do:",
  lastAccepted: (time: string) => `Last alert accepted ${time}`,

  switchOn: "Switch on",
  switchingOn: "Switching on",
  switchOff: "Switch off",
  subscribeAgain: "Subscribe again",
  notOn: (reason: string) =>
    reason === "" ? "Alerts could not be switched on." : `Not switched on: ${reason}`,
  notRegistered:
    "Not switched on: the browser did not register. A private window cannot be alerted; else its push service could not be reached.",

  httpsTitle: "Put HTTPS in front of it",
  httpsWhy: (origin: string) =>
    `This page came over plain HTTP, from ${origin}. Browsers give notifications to encrypted pages only.`,
  httpsServe: "On the server, run",
  httpsCommand: "panewatch phone",
  httpsOpen: "Scan the code that it shows, and come back to this page.",
  httpsElse:
    "Without HTTPS the ntfy app reaches this device too: name a topic as push.ntfy_url in the configuration file.",
  copy: "Copy the lines",

  homeTitle: "Add it to the home screen",
  homeShare: "Tap Share.",
  homeAdd: "Choose “Add to Home Screen”.",
  homeOpen: "Open panewatch from there and come back to this page.",

  blockedTitle: "Allow them again",
  blockedPhone:
    "Only the phone can do this: hold the app’s icon, then App info, Notifications. Come back here afterwards.",
  blockedDesk:
    "Only the browser can do this: the mark before the address, then Notifications. Come back here afterwards.",

  unsupportedText: "Try another browser. A private window has none either.",

  contactTitle: "Name a contact in the configuration",
  contactText:
    "It is sent to the push services with every alert, so that they can reach you. Then restart panewatch.",
  contactLines: 'push:\n  contact: "mailto:you@example.org"',
  missing: (reason: string) => `Not every alert can be sent: ${reason}.`,
  serverSaid: (detail: string) => `It said: ${detail}`,

  test: "Send a test",
  testing: "Testing",
  handedOver: (time: string) => `Handed over ${time}`,
  notHandedOver: (detail: string) => `Not accepted: ${detail}`,
  testLost: "the server did not answer",
  waitingForShown: "Waiting until this device shows it",
  shown: (time: string) => `Shown on this device ${time}`,
  notShown: "Not shown within 30 s",
  lookTitle: "What to look at",
  lookFocus: "Is a Focus or Do Not Disturb on?",
  lookBanners: "Settings of the system, notifications of this browser or app: are banners on?",
  lookOffline: "Is the device offline? It then comes later.",

  when: "Alert this device when",
  reasons: {
    needs_input: "An agent waits",
    error: "A pane reports an error",
    finished: "An agent has finished",
    quota: "A quota runs low",
    review: "A review is due",
  },
  finishedHint: "It stopped working and asks nothing",
  quotaHint: (percent: number) => `At ${percent}% left, once an hour at most`,

  how: "How and when",
  wait: "Wait first",
  waitHint:
    "Only if I have not answered by then, at the desk or here. Never while this device shows the page.",
  no: "No",
  minutes: (n: number) => `${n} min`,
  remind: "Remind me once",
  remindHint: "When it still waits",
  remindNever: "Never",
  remindAfter: (n: number) => `after ${n} min`,
  quiet: "Quiet hours",
  quietOff: "Off",
  quietFromTo: (start: string, end: string) => `${start} to ${end}`,
  from: "From",
  to: "To",
  ownTime: (zone: string) => `In the time of this device (${zone})`,
  urgent: "Urgent decisions still come",
  urgentHint: "Those that an agent itself calls high or critical",
  quietText: (end: string) => `What was quiet comes as one alert at ${end}, if it still waits.`,
  muted: "Muted panes",
  mutedNone: "None. The menu of a pane mutes it.",
  until: (time: string) => `until ${time}`,
  untilChanged: "until you change it",
  unmute: "Unmute",
  unmutePane: (name: string) => `Unmute ${name}`,

  text: "Text",
  name: "Show the pane’s name",
  nameHint: "Else “A pane needs your input”. Questions and output are never sent",

  others: "Other devices",
  since: (day: string) => `since ${day}`,
  native: (day: string) => `Native app, since ${day}`,
  remove: "Remove",
  removeDevice: (name: string) => `Remove ${name}`,
  accepted: (time: string) => `Accepted ${time}`,
  deliveryFailed: (time: string, detail: string) => `Failed ${time}: ${detail}`,
  gone: (time: string) => `Gone since ${time}, it will not be tried again`,
  nothingYet: "Nothing sent yet",
  configured: "From the configuration file",
  ntfyHint: (host: string) => `${host}, works without HTTPS and without this page`,
  webhookHint: (host: string) => `${host}, each alert as a signed line of JSON`,
  configuredText:
    "They are set in the configuration file. Whoever knows an ntfy topic can read it, so its texts never name a pane.",
  testTopic: "Test",

  mute: "Mute alerts",
  muteTitle: (name: string) => `Mute ${name}`,
  muteText: "No alert of this pane reaches this device. It still shows in the Queue.",
  notMuted: "Not muted",
  oneHour: "For one hour",
  tomorrow: "Until tomorrow",
  untilIChange: "Until I change it",
  muteFirst: "Switch notifications on for this device first, in Settings.",
  renewed: "Notifications were renewed.",
  removed: "Notifications on this device were switched off from another one.",
};
