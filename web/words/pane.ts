const NAMES: Readonly<Record<string, readonly [string, string]>> = {
  Escape: ["esc", "Esc"],
  Tab: ["tab", "Tab"],
  BTab: ["⇧tab", "Shift Tab"],
  Up: ["↑", "Up"],
  Down: ["↓", "Down"],
  Left: ["←", "Left"],
  Right: ["→", "Right"],
  Enter: ["⏎", "Enter"],
  Space: ["space", "Space"],
  BSpace: ["⌫", "Backspace"],
  PageUp: ["pg↑", "Page up"],
  PageDown: ["pg↓", "Page down"],
  Home: ["home", "Home"],
  End: ["end", "End"],
};

export const keys = {
  /** What is drawn for a key, and what is spoken. */
  namesOf(key: string): readonly [string, string] {
    if (!key.startsWith("C-")) return NAMES[key] ?? [key, key];
    const letter = key.slice(2).toUpperCase();
    return [`⌃${letter}`, `Control ${letter}`];
  },
};
