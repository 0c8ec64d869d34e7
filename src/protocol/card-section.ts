/** In their order. A card stands in the first that applies. */
export const CARD_SECTIONS = [
  "waiting",
  "errors",
  "blocked",
  "changed",
  "finished",
  "parked",
] as const;
export type CardSection = (typeof CARD_SECTIONS)[number];
