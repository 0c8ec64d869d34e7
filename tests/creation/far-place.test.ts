import { expect, test } from "bun:test";
import { farPlace } from "../../src/creation/far.ts";
import { MuxCreation } from "../../src/terminal/mux/creation.ts";

const MUX = new MuxCreation({ run: () => Promise.reject(new Error("nothing is asked")) });

test("another machine is created in below its roots, else its home, and only while it is there", () => {
  const code = [{ label: "code", path: "/code" }];
  const machine = (roots?: typeof code, isLive = true) =>
    farPlace(
      {
        config: { name: "gpu-1", ...(roots ? { roots } : {}) },
        panes: [{ cwd: "/code/api" }],
        poller: { pass: async () => {} },
        isLive: () => isLive,
        requireLive: () => {},
        run: async () => ({ code: 0, stdout: "" }),
      },
      MUX,
    );
  expect(machine(code)).toMatchObject({ name: "gpu-1", roots: code });
  expect(machine().roots).toEqual([{ label: "~", path: "~" }]);
  expect(machine().paneDirectories()).toEqual(["/code/api"]);
  expect(machine().muxUnavailable()).toBeNull();
  expect(machine(code, false).muxUnavailable()).toBe("gpu-1 is away.");
});
