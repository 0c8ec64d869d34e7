/** Told beside the field that opens the palette, before the table of all commands is there. */
export const SEARCH_KEYS = "mod k";
