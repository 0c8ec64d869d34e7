import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Which way the stand-in behaves. */
type Mode = "on" | "off" | "denied" | "disabled";

/** Where it serves, unless a test names another place. */
const PLACE = { name: "mina.tail4c2e.ts.net", port: 443 };

/**
 * Stands in for Tailscale's command: as documented, and with the words of its releases 1.58 to 1.102.
 * It serves one port on one name, and keeps that in a file as tailscaled would.
 */
const script = ({ name, port }: typeof PLACE) => `#!/bin/sh
here=$(dirname "$0")
mode=$(cat "$here/mode")
echo "$*" >> "$here/calls"
case "$*" in
"status --json"*)
  if [ "$mode" = off ]; then echo '{"BackendState":"Stopped","Self":{"DNSName":"${name}."}}'; exit 0; fi
  echo '{"Version":"1.98.1","BackendState":"Running","Self":{"DNSName":"${name}.","Online":true}}' ;;
"serve status --json")
  if [ -f "$here/serve.json" ]; then cat "$here/serve.json"; else echo '{}'; fi ;;
serve*off)
  rm -f "$here/serve.json" ;;
"serve --bg"*)
  if [ "$mode" = denied ]; then
    echo "sending serve config: Access denied: serve config denied" >&2
    echo >&2
    echo "Use 'sudo tailscale $*'." >&2
    echo "To not require root, use 'sudo tailscale set --operator=\\$USER' once." >&2
    exit 1
  fi
  if [ "$mode" = disabled ]; then
    printf 'Serve is not enabled on your tailnet.\\nTo enable, visit:\\n\\n         https://login.tailscale.com/f/serve?node=n1CNTRL\\n'
    exit 0
  fi
  for target; do :; done
  printf '{"TCP":{"${port}":{"HTTPS":true}},"Web":{"${name}:${port}":{"Handlers":{"/":{"Proxy":"http://127.0.0.1:%s"}}}}}' "$target" > "$here/serve.json"
  printf 'Available within your tailnet:\\n\\nhttps://${name}/\\n|-- proxy http://127.0.0.1:%s\\n\\nServe started and running in the background.\\nTo disable the proxy, run: tailscale serve --https=${port} off\\n' "$target" ;;
*)
  echo "flag provided but not defined: $*" >&2; exit 2 ;;
esac
`;

export interface FakeTailscale {
  readonly url: string;
  /** To be put first in PATH. */
  readonly folder: string;
  become(mode: Mode): Promise<void>;
  /** What it was asked to change, one line each. */
  changes(): Promise<string[]>;
}

/** A `tailscale` in a folder of the test's own. */
export async function fakeTailscale(scratch: string, place = PLACE): Promise<FakeTailscale> {
  const folder = join(scratch, "tailscale-bin");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "tailscale"), script(place));
  await chmod(join(folder, "tailscale"), 0o755);
  const become = (next: Mode) => writeFile(join(folder, "mode"), next);
  await become("on");
  return {
    url: `https://${place.name}${place.port === 443 ? "" : `:${place.port}`}`,
    folder,
    become,
    async changes() {
      const calls = (await readFile(join(folder, "calls"), "utf8").catch(() => "")).split("\n");
      return calls.filter((call) => call !== "" && !call.includes("status"));
    },
  };
}
