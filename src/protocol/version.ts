export const VERSION = "0.2.0";
/** Changes only for a breaking REST or WebSocket change. */
export const PROTOCOL_VERSION = 1;
/** The oldest native mobile client; no minimum for the web client. */
export const MINIMUM_MOBILE_VERSION = "1.0.0";
