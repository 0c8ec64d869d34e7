export const VERSION = "0.2.0";
/** Changes only with a breaking change of REST or WebSocket. */
export const PROTOCOL_VERSION = 1;
/** Of the native mobile client; the web client has none. */
export const MINIMUM_MOBILE_VERSION = "1.0.0";
