import { expect, test } from "bun:test";
import { paneEnvironment } from "../../src/creation/runtimes.ts";

test("neither secrets nor what tells about the service reaches a pane", () => {
  const own = {
    PATH: "/bin",
    TMUX_TMPDIR: "/run/me",
    TOKEN: "s3cret",
    START: "panewatch --token s3cret",
    PANEWATCH_TOKEN: "other",
    NOTIFY_SOCKET: "/run/notify",
    INVOCATION_ID: "1",
    GONE: undefined,
  };
  expect(paneEnvironment(own, ["s3cret", ""])).toEqual({ PATH: "/bin", TMUX_TMPDIR: "/run/me" });
  expect(paneEnvironment({ PATH: "/bin", TOKEN: "bin" }, ["bin"])).toEqual({ PATH: "/bin" });
});
