import { z } from "zod";

export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;
export const ImageType = z.enum(IMAGE_TYPES);
export type ImageType = z.infer<typeof ImageType>;

export const MAX_IMAGE_BYTES = 20 * 1024 * 1024;

export const UploadedImage = z.object({
  id: z.string(),
  path: z.string(),
  /** The path as one POSIX shell token. */
  terminal_text: z.string(),
  mime_type: ImageType,
  size: z.number().int(),
  /** Epoch seconds. */
  expires_at: z.number().int(),
});
export type UploadedImage = z.infer<typeof UploadedImage>;
