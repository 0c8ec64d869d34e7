/** What is said where no panes can be shown: signing in, and versions that do not fit. */
export const signIn = {
  incompatibleTitle: "This page and the server do not fit together",
  incompatibleText: (server: string, client: string) =>
    `The server is ${server === "" ? "an unknown version" : `version ${server}`}, this page is version ${client}. Reload the page; if that does not help, update the server.`,
  reload: "Reload",
  signInTitle: "Sign in to panewatch",
  signInText: "With the code that panewatch phone shows, or the token. It stays in this browser.",
  token: "Code or token",
  showToken: "Show token",
  hideToken: "Hide token",
  signIn: "Sign in",
  signInHere: "Sign in on this machine",
  signInRefused: "The server did not accept this.",
  signInUnreachable: "The server cannot be reached. Try again in a moment.",
  whereIsToken: "Where do I find it?",
  tokenHelp:
    "On the server’s machine, panewatch phone shows a code that works once, and panewatch token the token. Whoever has one of them can type into your terminals.",
  encrypted: "Encrypted connection",
  notEncrypted: "Not encrypted",
};
