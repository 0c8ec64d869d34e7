export const context = {
  percent: (n: number) => `${n} %`,
  note: (n: number) => `${n} % of its context.${n >= 90 ? " It compacts soon." : ""}`,
};
