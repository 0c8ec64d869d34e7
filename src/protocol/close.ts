/** Close codes of both sockets. In a file without schemas, so that the web client stays small. */
/** The agent workspace was switched off. */
export const CLOSE_NORMAL = 1000;
export const CLOSE_GOING_AWAY = 1001;
export const CLOSE_BAD_TOKEN = 1008;
/** Agent context is off, or the client has read nothing for too long: try again later. */
export const CLOSE_TRY_AGAIN = 1013;
export const CLOSE_KILLED = 4001;
