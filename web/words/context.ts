export const context = {
  note: (n: number) => `${n} % of its context.${n >= 90 ? " It compacts soon." : ""}`,
};
