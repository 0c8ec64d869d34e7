import { expect, test } from "bun:test";
import { firstConnection, renderHosts, renderSteps } from "../../src/cli/hosts.ts";
import { HostState } from "../../src/protocol/hosts.ts";
import { fixture } from "../support/fixture.ts";

const THERE = { watch: true, status: "live", read_at: 1000 } as const;
const HERE = fixture(HostState, {
  ...THERE,
  ...{ name: "desk", kind: "local", panes: 1, version: "3.3a" },
});
const GPU = fixture(HostState, {
  ...THERE,
  name: "gpu-1",
  kind: "ssh",
  ssh: "me@10.0.0.7",
  panes: 12,
  version: "3.5a",
  round_trip_ms: 24.6,
});

test("hosts are listed in columns, an away host with its reason", () => {
  const refused = "Permission denied\u001b[31m (publickey).";
  const away: HostState = {
    ...GPU,
    name: "build",
    ssh: "build",
    status: "away",
    panes: 0,
    version: null,
    round_trip_ms: null,
    reason: "refused_key",
    detail: refused,
  };
  expect(renderHosts([HERE, GPU, away])).toBe(
    [
      "desk   live  this machine  1 pane    tmux 3.3a",
      "gpu-1  live  me@10.0.0.7   12 panes  tmux 3.5a  25 ms",
      "build  away  build         0 panes                     refused key: Permission denied (publickey).",
      "",
    ].join("\n"),
  );
});

test("without hosts the list says how to add a host", () => {
  expect(renderHosts([])).toContain("panewatch hosts add NAME [DESTINATION]");
});

test("a check of a host is printed step by step", () => {
  const steps = renderSteps([
    { step: "resolve", ok: true, detail: null, ms: 3 },
    { step: "host_key", ok: false, detail: "Host key verification failed.", ms: 12 },
  ]);
  expect(steps).toBe(
    "ok    resolve   3 ms\nFAIL  host key  12 ms  Host key verification failed.\n",
  );
});

test("the first connection runs plain ssh, and refuses a destination that begins with -", () => {
  expect(firstConnection("me@box")).toEqual(
    "ssh -o ControlPath=none -- me@box".split(" ").concat("exit 0"),
  );
  expect(() => firstConnection("-oProxyCommand=x")).toThrow("must not begin with -");
});
