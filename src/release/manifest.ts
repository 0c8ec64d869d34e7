import type { ReleaseArtifact, ReleaseManifest } from "../protocol/release.ts";
import type { TargetName } from "./targets.ts";

/** What was written for each target. */
export type Artifact = ReleaseArtifact & { target: TargetName };

export interface Manifest extends ReleaseManifest {
  artifacts: Artifact[];
}

export interface ReleaseOptions {
  version: string;
  from: string;
  /** Address of the folder in which the newest release will be found. */
  latest: string;
  /** Of the project, for packages. */
  homepage: string;
  /** Public keys that install.sh knows. */
  keys: readonly string[];
  /** The private one, as PEM; null leaves the sums unsigned. */
  signingKey: string | null;
  /** Path of each executable. */
  executables: Readonly<Partial<Record<TargetName, string>>>;
  /** Folder; what it holds is replaced. */
  out: string;
}
