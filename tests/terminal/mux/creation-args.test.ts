import { describe, expect, test } from "bun:test";
import { creationArgs } from "../../../src/terminal/mux/creation.ts";

describe("creationArgs", () => {
  test("is detached, addressed by id and executes the list as it is", () => {
    const args = creationArgs(
      { type: "pane", paneId: "%4", split: "side_by_side", sizePercent: 30 },
      "/srv",
      ["/bin/tool", "--flag"],
      { format: "F", isZoomed: false },
    );
    expect(args).toEqual(
      "split-window -h -l 30% -t %4 -d -c /srv -P -F F -- /usr/bin/env /bin/tool --flag".split(" "),
    );
  });

  test("a window that a person has zoomed stays so", () => {
    const place = { type: "pane", paneId: "%4", split: "stacked", sizePercent: 30 } as const;
    const args = creationArgs(place, "/srv", [], { format: "F", isZoomed: true });
    expect(args).toEqual("split-window -Z -v -l 30% -t %4 -d -c /srv -P -F F".split(" "));
  });

  test("a shell has no command at all", () => {
    const args = creationArgs({ type: "session", name: "a" }, "/srv", [], {
      format: "F",
      isZoomed: false,
    });
    expect(args).toEqual("new-session -E -s a -d -c /srv -P -F F".split(" "));
    const of = (executable: string) =>
      creationArgs({ type: "session", name: "a" }, "/srv", [executable, "-x"], {
        format: "F",
        isZoomed: false,
      });
    expect(of("/opt/bin/claude")).toEqual(
      "new-session -E -s a -n claude -d -c /srv -P -F F -- /usr/bin/env /opt/bin/claude -x".split(
        " ",
      ),
    );
    expect(of("/opt/#(id)")).not.toContain("-n");
  });
});
