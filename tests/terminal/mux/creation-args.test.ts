import { expect, test } from "bun:test";
import { creationArgs } from "../../../src/terminal/mux/creation.ts";

test("a new session's window is named after its program, except where tmux would run the name as a format", () => {
  const of = (...argv: string[]) => creationArgs({ type: "session", name: "a" }, "/srv", argv);
  expect(of().join(" ")).toStartWith("new-session -E -s a -d -c /srv -P -F ");
  const named = of("/opt/bin/claude", "-x").join(" ");
  expect(named).toStartWith("new-session -E -s a -n claude -d -c /srv -P -F ");
  expect(named).toEndWith(" -- /usr/bin/env /opt/bin/claude -x");
  expect(of("/opt/#(id)")).not.toContain("-n");
});
