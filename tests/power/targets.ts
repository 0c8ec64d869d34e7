/** What must not be wrong, and the folders whose unit tests have to notice it. */
export interface Target {
  readonly name: string;
  readonly files: readonly string[];
  readonly tests: readonly string[];
}

export const TARGETS: readonly Target[] = [
  {
    name: "input",
    files: ["src/input/*.ts"],
    tests: ["tests/input", "tests/ledger"],
  },
  {
    name: "ledger",
    files: ["src/ledger/ledger.ts", "src/ledger/idempotency-cache.ts"],
    tests: ["tests/ledger"],
  },
  {
    name: "send",
    files: ["src/terminal/mux/send.ts", "src/terminal/mux/tmux.ts"],
    tests: ["tests/terminal/mux"],
  },
  {
    name: "fingerprints",
    files: ["src/detect/{answers,prompt,generic-prompt}.ts"],
    tests: ["tests/detect"],
  },
  {
    name: "risk",
    files: ["src/detect/risk.ts"],
    tests: ["tests/detect"],
  },
  {
    name: "hosts",
    files: ["src/hosts/link-output.ts"],
    tests: ["tests/hosts"],
  },
  {
    name: "sessions",
    files: ["src/agents/binding/*.ts", "src/agents/acts/*.ts"],
    tests: ["tests/agents"],
  },
  {
    name: "settings",
    files: ["src/config/{credentials,ownership,settings,resolve}.ts", "src/lib/stored-json.ts"],
    tests: ["tests/config", "tests/lib"],
  },
  {
    name: "access",
    files: [
      "src/http/{app,auth,origin,upgrade,server}.ts",
      "src/pairing/{pairing,links,routes}.ts",
      "src/grants/*.ts",
    ],
    tests: ["tests/http", "tests/pairing"],
  },
  {
    name: "locks",
    files: ["src/lib/{lock,json-file,address,valid}.ts", "src/store/state-lock.ts"],
    tests: ["tests/lib", "tests/store", "tests/http"],
  },
  {
    name: "push",
    files: ["src/push/{alert-state,channels,device,devices,hold,message,push,scheduler}.ts"],
    tests: ["tests/push"],
  },
  {
    name: "changes",
    files: ["src/changes/*.ts"],
    tests: ["tests/changes"],
  },
  {
    name: "creation",
    files: ["src/creation/*.ts"],
    tests: ["tests/creation"],
  },
];
