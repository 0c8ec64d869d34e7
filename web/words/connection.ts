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
  offlineTitle: "No connection to the server",
  offlineKnown: (time: string, seconds: number) =>
    `Showing what was known at ${time}. ${nextTry(seconds)}`,
  offlineNothing: (seconds: number) => nextTry(seconds),
};
