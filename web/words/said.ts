/** Of searching what was said in all sessions. */
export const said = {
  title: "Said",
};
