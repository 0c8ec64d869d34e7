import { getCACertificates } from "node:tls";

/**
 * The authorities that push services are checked against: those of the runtime, with
 * `NODE_EXTRA_CA_CERTS`, and those that this machine trusts. The runtime alone leaves the latter
 * out, so that a relay with a certificate of one's own house would be refused.
 */
export function trustedAuthorities(): string[] {
  return [...new Set([...getCACertificates("default"), ...getCACertificates("system")])];
}
