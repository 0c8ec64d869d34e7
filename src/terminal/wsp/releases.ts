/** A release of the tool, as far as anything is known of it. */
export interface Release {
  version: string;
  protocol: number;
  /** The recorded calls and the laws of guarded input passed over its own executable. */
  isVerified: boolean;
  /** An event stream begins with all that the server remembers. */
  replaysEvents: boolean;
}

interface KnownProtocol extends Pick<Release, "protocol" | "replaysEvents"> {
  verified: readonly string[];
}

const PROTOCOLS: readonly KnownProtocol[] = [
  { protocol: 20, verified: ["0.8.2"], replaysEvents: true },
  // Of 0.9.0 to 0.9.3, by what is written of them: none of their executables was tried.
  { protocol: 22, verified: [], replaysEvents: false },
];

/** Null for a protocol that nothing is known of. */
export function releaseOf(version: string, protocol: number): Release | null {
  const known = PROTOCOLS.find((each) => each.protocol === protocol);
  if (!known) return null;
  const { verified, replaysEvents } = known;
  return { version, protocol, isVerified: verified.includes(version), replaysEvents };
}

/** `0.8.2 (protocol 20)`, for people who have another one. */
export const VERIFIED = PROTOCOLS.flatMap(({ protocol, verified }) =>
  verified.map((version) => `${version} (protocol ${protocol})`),
).join(", ");

export function isSameRelease(a: Pick<Release, "version" | "protocol">, b: typeof a): boolean {
  return a.version === b.version && a.protocol === b.protocol;
}
