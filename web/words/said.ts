/** Of searching what was said in all sessions. */
export const said = {
  ended: (program: string) => `${program}, ended`,
  keptSince: (day: string) =>
    `Kept since ${day.replace(/^(Today|Yesterday)$/, (one) => one.toLowerCase())}`,
};
