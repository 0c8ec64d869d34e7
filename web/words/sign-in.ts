/** What is said where no panes can be shown: signing in, and versions that do not fit. */
export const signIn = {
  incompatibleTitle: "This page and the server do not fit together",
  incompatibleText: (server: string, client: string) =>
    `The server is ${server === "" ? "an unknown version" : `version ${server}`}, this page is version ${client}. Reload the page; if that does not help, update the server.`,
  reload: "Reload",
  signInTitle: "Sign in to panewatch",
  signInText: "Paste the token from the server's configuration. It stays in this browser.",
  token: "Token",
  showToken: "Show token",
  hideToken: "Hide token",
  signIn: "Sign in",
  signInRefused: "The server did not accept this token.",
  signInUnreachable: "The server cannot be reached. Try again in a moment.",
  whereIsToken: "Where do I find it?",
  tokenHelp:
    "It is “server.token” in the configuration file of the server, or the value of --token when it was started. Whoever knows it can type into your terminals.",
  encrypted: "Encrypted connection",
  notEncrypted: "Not encrypted",
};
