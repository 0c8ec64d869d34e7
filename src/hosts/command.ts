/**
 * Nothing of a person's own connections is touched, nothing is ever asked on a terminal, and no host
 * key is accepted that was not accepted before.
 */
const OPTIONS = [
  "BatchMode=yes",
  "ConnectTimeout=10",
  "ServerAliveInterval=5",
  "ServerAliveCountMax=2",
  "Compression=yes",
  "ControlPath=none",
  "ForwardAgent=no",
  "ForwardX11=no",
  "ClearAllForwardings=yes",
  "PermitLocalCommand=no",
  "RequestTTY=no",
  "RemoteCommand=none",
  "LogLevel=ERROR",
  "StrictHostKeyChecking=yes",
  "UpdateHostKeys=no",
].flatMap((option) => ["-o", option]);

/** The command line of a link. The login shell there may be any: this is all that is said to it. */
export function linkCommand(ssh: string): string[] {
  return ["ssh", "-T", ...OPTIONS, "--", ssh, "exec /bin/sh"];
}
