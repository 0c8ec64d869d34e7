/** Of searching what was said in all sessions. */
export const said = {
  title: "Said",
  by: (isPerson: boolean, name: string) => (isPerson ? `You, to ${name}` : name),
};
