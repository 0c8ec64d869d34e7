/** Of taking up a session that has ended. */
export const resume = {
  offer: "Resume in a new pane",
  where: (cwd: string) =>
    `Runs this command in a new tmux session, in ${cwd}. If the session still runs somewhere else, end it there first.`,
  start: "Start it",
  starting: "Starting",
  notNow: "Not now",
  cannot: (reason: string) =>
    reason === ""
      ? "It cannot be resumed from here."
      : `It cannot be resumed from here: ${reason}.`,
  uncertain: "The server could not be reached: it may have been started. Look at All first.",
};
