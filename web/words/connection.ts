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
  none: (provider: string) => `No ${provider}`,
  away: (provider: string) => `${provider} away`,
  guestTitle: "You can look, not act",
};
