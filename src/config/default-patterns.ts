export const GENERIC_PROMPT_PATTERNS = [
  "\\(y/n\\)",
  "\\(y/N\\)",
  "\\[Y/n\\]",
  "\\[y/N\\]",
  "Do you want to",
  "Press enter to",
  "Press \\[enter\\]",
  "Continue\\?",
  "Proceed\\?",
  "\\? \\(y",
  "Overwrite\\?",
];

export const ERROR_PATTERNS = [
  "Traceback \\(most recent call last\\)",
  "^\\s*Error:",
  "^\\s*ERROR\\b",
  "panic:",
  "fatal:",
  "Unhandled exception",
  "command not found",
];

/** The built-in patterns. They are known to be fast on any text, and run without the worker. */
export const OWN_PATTERNS: ReadonlySet<string> = new Set([
  ...GENERIC_PROMPT_PATTERNS,
  ...ERROR_PATTERNS,
]);
