/** The first level of the settings, in its order: each row leads to one of these pages. */
export const FIRST_PAGES = [
  "settings-phone",
  "settings-answering",
  "settings-look",
  "settings-terminal",
  "settings-workspace",
  "settings-server",
] as const;

/** Pages behind those of the first level. */
const INNER_PAGES = [
  "settings-devices",
  "settings-device",
  "settings-let-in",
  "settings-quiet",
  "settings-muted",
  "settings-snippets",
  "settings-keys",
  "settings-review",
  "settings-panes",
  "settings-patterns",
  "settings-hosts",
  "settings-add-host",
] as const;

export type FirstPage = (typeof FIRST_PAGES)[number];
export type SettingsPage = FirstPage | (typeof INNER_PAGES)[number];

/** Names of the sheets of the settings. */
export const SETTINGS_SHEETS = ["settings", ...FIRST_PAGES, ...INNER_PAGES] as const;
