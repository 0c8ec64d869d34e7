import type { Script } from "./requests.ts";

export const PERMISSIONS: Script = {
  runtime: "agent_a",
  task: "Ship the checkout fix",
  workSeconds: 6,
  subjects: ["checkout", "basket", "invoice", "refund", "voucher"],
  steps: [
    (subject) => ({
      ask: "permission",
      doing: `Running the tests of the ${subject}`,
      note: `The fix of the ${subject} rounds once, at the end.`,
      command: `npm test -- --run ${subject}`,
      about: `Run the tests of the ${subject}`,
      rule: "npm test *",
    }),
    (subject) => ({
      ask: "permission",
      doing: `Removing old output of the ${subject}`,
      note: `The tests of the ${subject} pass.`,
      command: `rm -rf build/${subject}`,
      about: "Remove the old build before a new one",
      rule: "rm *",
    }),
    (subject) => ({
      ask: "permission",
      doing: `Pushing the branch of the ${subject}`,
      note: `The ${subject} is built anew.`,
      command: `git push origin fix/${subject}-rounding`,
      about: "Publish the branch for review",
      rule: "git push *",
    }),
  ],
};

export const STORAGE: Script = {
  runtime: "agent_a",
  task: "Set up storage for the orders service",
  workSeconds: 20,
  subjects: ["orders", "invoices", "customers", "returns", "deliveries"],
  steps: [
    (subject) => ({
      ask: "question",
      doing: `Comparing databases for the ${subject}`,
      note: `The ${subject} service has one writer and few queries.`,
      topic: "Database",
      question: `Which database should the ${subject} service use?`,
      choices: [
        { label: "SQLite", description: "One file, nothing to install. Good for a single host." },
        { label: "PostgreSQL", description: "A server process, for several writers." },
        { label: "Plain files", description: "JSON files on disk, no queries." },
      ],
    }),
    (subject) => ({
      ask: "question",
      doing: `Planning the migration of the ${subject}`,
      note: `A trial run has moved the first hundred ${subject}.`,
      topic: "Migration",
      question: `When should the old ${subject} be moved?`,
      choices: [
        { label: "Now", description: "The service is read-only for about a minute." },
        { label: "Tonight", description: "A job at 02:00, with a report afterwards." },
      ],
    }),
    (subject) => ({
      ask: "question",
      doing: `Choosing backups for the ${subject}`,
      note: `All old ${subject} are moved and counted.`,
      blocker: `The backup disk has no room for the ${subject}`,
      topic: "Backups",
      question: `How often should the ${subject} be backed up?`,
      choices: [
        { label: "Every hour", description: "At most an hour is lost. Takes the most room." },
        { label: "Every night", description: "Smaller, and at a quiet time." },
      ],
    }),
  ],
};

export const DISCOUNTS: Script = {
  runtime: "agent_a",
  task: "Add discounts to the shop",
  workSeconds: 30,
  subjects: ["discount codes", "gift cards", "loyalty points", "bundles", "coupons"],
  steps: [
    (subject) => ({
      ask: "question",
      doing: `Reading how ${subject} are priced`,
      note: `The prices of ${subject} have three decimals.`,
      topic: "Rounding",
      question: `Where should the amounts of ${subject} be rounded?`,
      choices: [
        { label: "Each line", description: "What the receipt shows adds up." },
        { label: "The whole order", description: "Rounded once, as the tax office does." },
      ],
    }),
    (subject) => ({
      ask: "plan",
      doing: `Planning ${subject} in the checkout`,
      note: `The checkout has one place where ${subject} belong.`,
      title: `Plan: ${subject} in the checkout`,
      file: `${subject.replaceAll(" ", "-")}.md`,
      lines: [`Add ${subject} to the basket.`, "Check them before paying.", "Test the totals."],
    }),
    (subject) => ({
      ask: "question",
      doing: `Testing ${subject} on staging`,
      note: `The totals with ${subject} are right.`,
      blocker: `Staging has no table for ${subject}`,
      topic: "Expiry",
      question: `How long should ${subject} be valid?`,
      choices: [
        { label: "One month", description: "The campaign ends with it." },
        { label: "One year", description: "As long as the old ones were." },
        { label: "Without end", description: "They are kept until they are used." },
      ],
    }),
  ],
};

export const SEARCH: Script = {
  runtime: "agent_b",
  task: "Make the product search faster",
  workSeconds: 40,
  subjects: ["names", "tags", "reviews", "brands", "materials"],
  steps: [
    (subject) => ({
      ask: "question",
      doing: `Measure the search over ${subject}`,
      note: `A search over ${subject} reads the whole table.`,
      topic: "Index",
      question: `Which index should the search over ${subject} use?`,
      choices: [
        { label: "Trigrams (Recommended)", description: "Finds parts of words, and typos." },
        { label: "Whole words", description: "The smallest, and finds no parts." },
        { label: "Prefixes", description: "For suggestions while somebody types." },
      ],
    }),
    (subject) => ({
      ask: "question",
      doing: `Cache the results for ${subject}`,
      note: `The index over ${subject} is built: 900 ms became 14 ms.`,
      topic: "Cache",
      question: `How long may results for ${subject} be kept?`,
      choices: [
        { label: "One minute", description: "New products are found at once." },
        { label: "One hour", description: "Nine searches of ten need no query." },
        { label: "Not at all", description: "Every search asks the index." },
      ],
    }),
  ],
};

/** Agents that are started from the page: they begin with what they are told. */
export const FRESH_A: Script = { ...PERMISSIONS, task: "" };
export const FRESH_B: Script = { ...SEARCH, task: "" };
