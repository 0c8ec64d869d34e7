import { expect, test } from "bun:test";
import fc from "fast-check";
import { resolveName, withoutSpinner, type NamedPane } from "../../src/naming/resolve.ts";
import { NamingMode } from "../../src/protocol/config.ts";
import { forAll } from "../support/laws.ts";

const PANE: NamedPane = {
  identity: "1:%3",
  target: "work:1.3",
  title: "⠋ building",
  command: "node",
  cwd: "/srv/app",
  window: "✳ api",
  names: { session: "work", windowIndex: "1", paneIndex: "3" },
};

const EXPECTED: Record<NamingMode, string> = {
  pane: "3",
  window_pane: "1:3",
  session_pane: "work:3",
  session_window_pane: "work:1:3",
  title: "building",
  window: "api",
  target: "work:1.3",
  command: "node",
  smart: "something",
};
for (const mode of NamingMode.options) {
  test(`mode ${mode} gives ${EXPECTED[mode]}`, () => {
    expect(resolveName(mode, PANE, () => "something")).toBe(EXPECTED[mode]);
  });
}

test("an empty result falls back to the target", () => {
  const names = { session: "", windowIndex: "", paneIndex: "" };
  const empty = { ...PANE, title: " ✳ ", window: "", command: "", names };
  for (const mode of NamingMode.options)
    expect(resolveName(mode, empty, () => " ")).toBe("work:1.3");
});

const TITLES: [string, string][] = [
  ["✳ Fix the login test", "Fix the login test"],
  ["⠂ ⠐ Thinking", "Thinking"],
  ["◇  Ready (app)", "Ready (app)"],
  ["✋  Action Required (app)", "Action Required (app)"],
  ["⏲️ Working", "Working"],
  ["| building", "building"],
  ["/ building", "building"],
  ["- building", "building"],
  ["✻", ""],
  ["*important*", "*important*"],
  ["/usr/bin/top", "/usr/bin/top"],
  ["-zsh", "-zsh"],
  ["plain", "plain"],
  ["日本語 ✳", "日本語 ✳"],
];
for (const [title, clean] of TITLES) {
  test(`the title ${JSON.stringify(title)} reads ${JSON.stringify(clean)}`, () => {
    expect(withoutSpinner(title)).toBe(clean);
  });
}

test("law: every pane has a name in every mode", () => {
  const pane = fc.record({
    identity: fc.string(),
    target: fc.string({ minLength: 1 }),
    title: fc.string({ unit: "binary" }),
    command: fc.string(),
    cwd: fc.string(),
    window: fc.string(),
    names: fc.record({ session: fc.string(), windowIndex: fc.string(), paneIndex: fc.string() }),
  });
  forAll([pane, fc.constantFrom(...NamingMode.options)], (one, mode) => {
    expect(resolveName(mode, one, () => "")).not.toBe("");
  });
});
