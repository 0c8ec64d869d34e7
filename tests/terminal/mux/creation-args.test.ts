import { describe, expect, test } from "bun:test";
import { creationArgs } from "../../../src/terminal/mux/creation-args.ts";

describe("creationArgs", () => {
  test("is detached, addressed by id and executes the list as it is", () => {
    const args = creationArgs(
      { type: "pane", paneId: "%4", split: "side_by_side", sizePercent: 30 },
      "/srv",
      ["/bin/tool", "--flag"],
      "F",
    );
    expect(args).toEqual(
      "split-window -Z -h -l 30% -t %4 -d -c /srv -P -F F -- /usr/bin/env /bin/tool --flag".split(
        " ",
      ),
    );
  });

  test("a shell has no command at all", () => {
    const args = creationArgs({ type: "session", name: "a" }, "/srv", [], "F");
    expect(args).toEqual("new-session -E -s a -d -c /srv -P -F F".split(" "));
  });
});
