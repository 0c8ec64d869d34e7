/** Names of the sheets of the settings: the first, and the pages behind it. */
export const SETTINGS_SHEETS = [
  "settings",
  "settings-snippets",
  "settings-keys",
  "settings-panes",
  "settings-prompts",
  "settings-errors",
  "settings-workspace",
  "settings-pair",
  "settings-notifications",
  "settings-quiet",
  "settings-muted",
] as const;
export type SettingsPage = Exclude<(typeof SETTINGS_SHEETS)[number], "settings">;
