// Of both sockets. Without schemas: the page's first load takes it.

/** The agent workspace was switched off. */
export const CLOSE_NORMAL = 1000;
export const CLOSE_GOING_AWAY = 1001;
export const CLOSE_BAD_TOKEN = 1008;
/** Agent context is off, or the client has read nothing for too long: try again later. */
export const CLOSE_TRY_AGAIN = 1013;
export const CLOSE_KILLED = 4001;

/**
 * Prefix of the reason of a close 1008 when a token is made: the code behind it signs a page of the
 * server's own machine in again.
 */
export const PAIR_REASON_PREFIX = "pair=";

/** Header by which a client names the session of its pane socket, the `sid` of its hello. */
export const SID_HEADER = "x-panewatch-sid";
