/**
 * Begins the reason of a close 1008 that a page of the server's own machine gets when a token is made:
 * a code follows, with which that page signs in again. In a file without schemas, for the first load.
 */
export const INVITES = "pair=";
