import { getCACertificates } from "node:tls";

/** Text and not a file: it runs in the executable as it does from source. */
const WORKER = `
  import { getCACertificates } from "node:tls";
  postMessage([getCACertificates("default"), getCACertificates("system")]);`;

let loading: Promise<string[]> | null = null;

/**
 * The authorities that push services are checked against: those of the runtime, with
 * `NODE_EXTRA_CA_CERTS`, and those that this machine trusts. The runtime alone leaves the latter
 * out, so that a relay with a certificate of one's own house would be refused. Read once, in a
 * thread of its own: it takes a tenth of a second, in which no request would be answered.
 */
export function trustedAuthorities(): Promise<string[]> {
  return (loading ??= readAuthorities().catch(() => [...new Set(getCACertificates("default"))]));
}

async function readAuthorities(): Promise<string[]> {
  const url = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
  const worker = new Worker(url);
  try {
    const lists = await new Promise<string[][]>((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = reject;
    });
    return [...new Set(lists.flat())];
  } finally {
    worker.terminate();
    URL.revokeObjectURL(url);
  }
}
