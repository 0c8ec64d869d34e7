import { expect, test } from "bun:test";
import { creationArgs } from "../../../src/terminal/mux/creation.ts";

const facts = { format: "F", isZoomed: false };

test("a session's window is called by its program, and by no name that tmux would run", () => {
  const of = (...argv: string[]) =>
    creationArgs({ type: "session", name: "a" }, "/srv", argv, facts);
  expect(of()).toEqual("new-session -E -s a -d -c /srv -P -F F".split(" "));
  expect(of("/opt/bin/claude", "-x").join(" ")).toBe(
    "new-session -E -s a -n claude -d -c /srv -P -F F -- /usr/bin/env /opt/bin/claude -x",
  );
  expect(of("/opt/#(id)")).not.toContain("-n");
});
