import { expect, test } from "bun:test";
import { destinationFault, nameFault } from "../../src/config/checks.ts";
import { linkCommand } from "../../src/hosts/far-shell.ts";
import { sshRefusal } from "../../src/hosts/link-state.ts";

test.each([
  ["Host key verification failed.\r\n", "unknown_host_key"],
  [
    "No ED25519 host key is known for box and you have requested strict checking.\r\nHost key verification failed.\r\n",
    "unknown_host_key",
  ],
  [
    "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\nHost key verification failed.\n",
    "changed_host_key",
  ],
  ["me@box: Permission denied (publickey).\n", "refused_key"],
  ["Received disconnect from 10.0.0.7: 2: Too many authentication failures\n", "refused_key"],
  ["ssh: connect to host box port 22: Connection timed out\n", "timeout"],
  ["ssh: connect to host box port 22: Connection refused\n", "unreachable"],
  ["ssh: Could not resolve hostname box: Name or service not known\n", "unreachable"],
] as const)("%j is told as %s, with the last line as it is", (said, reason) => {
  const last = said.trim().split(/\r?\n/).at(-1) ?? "";
  expect(sshRefusal(255, said)).toEqual({ reason, detail: last });
});

test("an end of another kind before the shell was ready is the shell's", () => {
  expect(sshRefusal(127, "nu: exec: not found\n")).toMatchObject({ reason: "no_shell" });
  expect(sshRefusal(0, "")).toEqual({ reason: "no_shell", detail: null });
});

test("a detail is one line of 300 characters without controls", () => {
  const { detail } = sshRefusal(255, `first\n\u001b[31m${"x".repeat(400)}\u0007\n\n`);
  expect(detail).toBe("x".repeat(300));
});

test.each([
  "-oProxyCommand=touch /tmp/x",
  "-J",
  "me@-oProxyCommand=x",
  "ssh://-x",
  "a b",
  "a\nb",
  "a\u0000b",
  "",
  "$(touch x)",
  "a;b",
  "`x`",
  "a'b",
  "a".repeat(256),
])("%j is no destination", (ssh) => {
  expect(destinationFault(ssh)).not.toBeNull();
});

test.each(["gpu-1", "me@10.0.0.7", "ssh://me@box:2222", "me@fe80::1%eth0", "a".repeat(255)])(
  "%j is a destination, and stands behind --",
  (ssh) => {
    expect(destinationFault(ssh)).toBeNull();
    expect(linkCommand(ssh).slice(-3)).toEqual(["--", ssh, "exec /bin/sh"]);
  },
);

test.each(["local", "", "GPU", "a b", "a:b", "a".repeat(33)])("%j is no name", (name) => {
  expect(nameFault(name)).not.toBeNull();
});
