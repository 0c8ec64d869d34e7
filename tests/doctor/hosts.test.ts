import { expect, test } from "bun:test";
import { hostCheck } from "../../src/doctor/multiplexer.ts";

const HOST = { name: "gpu-1", ssh: "me@gpu", watch: true };

test("a host whose every step succeeded can be watched", () => {
  const steps = [{ step: "tmux", ok: true, detail: "tmux 3.3a", ms: 4 }] as const;
  expect(hostCheck(HOST, steps)).toEqual({
    level: "ok",
    text: "gpu-1 can be watched, with tmux 3.3a",
  });
});

test("one that failed is told with the step, what was said, and what to run by hand", () => {
  const said = "Host key verification failed.";
  expect(hostCheck(HOST, [{ step: "host_key", ok: false, detail: said, ms: 4 }])).toEqual({
    level: "warn",
    text: `gpu-1 cannot be watched: host key: ${said}`,
    remedy: "ssh me@gpu true",
  });
});
