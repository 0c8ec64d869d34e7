const nextTry = (seconds: number) =>
  seconds === 0 ? "Trying again now." : `Next try in ${seconds} s.`;

export const connection = {
  phase: {
    connecting: "Connecting",
    live: "Live",
    offline: "Offline",
    unauthorized: "Signed out",
    incompatible: "Incompatible",
    killed: "Disconnected",
  },
  everySeconds: (seconds: number) => `Every ${seconds} s`,
  offlineTitle: "No connection to the server",
  offlineKnown: (time: string, seconds: number) =>
    `Showing what was known at ${time}. ${nextTry(seconds)}`,
  offlineNothing: (seconds: number) => nextTry(seconds),
  awayTitle: (provider: string) => `${provider} cannot be read`,
  readOnlyTitle: (provider: string) => `${provider} is shown, answers are off`,
  knownAt: (time: string) => `Showing what was known at ${time}. `,
  away: (provider: string) => `${provider} away`,
  guestTitle: "You can look, not act",
  guestText: "This browser signed in with a token for reading.",
  killedTitle: "Disconnected from another browser",
  killedText: "Someone ended this browser's connection. Nothing is lost.",
  reconnect: "Reconnect",
  incompatibleTitle: "This page and the server do not fit together",
  incompatibleText: (server: string, client: string) =>
    `The server is ${server === "" ? "an unknown version" : `version ${server}`}, this page is version ${client}. Reload the page; if that does not help, update the server.`,
  reload: "Reload",
  unverified: "This server does not say its version.",
  signInTitle: "Sign in to panewatch",
  signInText: "Paste the token from the server's configuration. It stays in this browser.",
  token: "Token",
  showToken: "Show token",
  hideToken: "Hide token",
  signIn: "Sign in",
  signInRefused: "The server did not accept this token.",
  signInUnreachable: "The server cannot be reached. Try again in a moment.",
  pairingRefused: "This code was used already or is too old. Ask for a new one, or sign in below.",
  pairingUnreachable: "The code could not be checked: the server cannot be reached.",
  whereIsToken: "Where do I find it?",
  tokenHelp:
    "It is “server.token” in the configuration file of the server, or the value of --token when it was started. Whoever knows it can type into your terminals.",
  encrypted: "Encrypted connection",
  notEncrypted: "Not encrypted",
};
