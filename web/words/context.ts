export const context = {
  label: "Context used",
  /** Its number stands before it, in bold. */
  ofIts: "of its context",
  percent: (n: number) => `${n} %`,
  compactsSoon: "It compacts soon",
  note: (n: number) => `${n} % of its context.${n >= 90 ? " It compacts soon." : ""}`,
};
