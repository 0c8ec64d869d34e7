/** Header by which a client names the session of its pane socket, the `sid` of its hello. */
export const SID_HEADER = "x-panewatch-sid";
