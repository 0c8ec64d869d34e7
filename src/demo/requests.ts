/** What the sample agent asks for, in order; after the last it starts again. */
export type Request =
  | { ask: "permission"; task: string; doing: string; command: string; about: string; rule: string }
  | {
      ask: "question";
      task: string;
      doing: string;
      topic: string;
      question: string;
      choices: { label: string; description: string }[];
    };

export const PERMISSIONS: readonly Request[] = [
  {
    ask: "permission",
    task: "Ship the checkout fix",
    doing: "Running the tests",
    command: "npm test -- --run checkout",
    about: "Run the tests of the checkout",
    rule: "npm test *",
  },
  {
    ask: "permission",
    task: "Ship the checkout fix",
    doing: "Removing old output",
    command: "rm -rf build/checkout",
    about: "Remove the old build before a new one",
    rule: "rm *",
  },
  {
    ask: "permission",
    task: "Ship the checkout fix",
    doing: "Pushing the branch",
    command: "git push origin fix/rounding",
    about: "Publish the branch for review",
    rule: "git push *",
  },
];

export const QUESTIONS: readonly Request[] = [
  {
    ask: "question",
    task: "Set up storage for the orders service",
    doing: "Comparing the options",
    topic: "Database",
    question: "Which database should the orders service use?",
    choices: [
      { label: "SQLite", description: "One file, nothing to install. Good for a single host." },
      { label: "PostgreSQL", description: "A server process, for several writers." },
      { label: "Plain files", description: "JSON files on disk, no queries." },
    ],
  },
  {
    ask: "question",
    task: "Set up storage for the orders service",
    doing: "Planning the migration",
    topic: "Migration",
    question: "When should the old orders be moved?",
    choices: [
      { label: "Now", description: "The service is read-only for about a minute." },
      { label: "Tonight", description: "A job at 02:00, with a report afterwards." },
    ],
  },
];
