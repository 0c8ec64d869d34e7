import { z } from "zod";

export const ReleaseArtifact = z.object({
  target: z.string(),
  file: z.string().regex(/^[A-Za-z0-9._-]+$/),
  /** Bytes of the archive, which is read into memory. */
  size: z
    .number()
    .int()
    .positive()
    .max(512 * 1024 * 1024),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type ReleaseArtifact = z.infer<typeof ReleaseArtifact>;

/** `manifest.json`, published beside its archives. */
export const ReleaseManifest = z.object({
  version: z.string().regex(/^\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$/),
  /** Address of the folder with the files; "" where it is not known at build time. */
  from: z.string(),
  artifacts: z.array(ReleaseArtifact),
});
export type ReleaseManifest = z.infer<typeof ReleaseManifest>;
