/** What the server takes, as its schemas have it (`src/protocol/images.ts`). */
const TAKEN: readonly string[] = ["image/png", "image/jpeg", "image/webp", "image/gif"];
export const MAX_IMAGE_BYTES = 20 * 1024 * 1024;
/** Longest side of an image where data is dear. */
export const LOW_DATA_SIDE = 1600;

export interface ImageFacts {
  readonly type: string;
  readonly name: string;
}

const HEIC = /^image\/hei[cf]/;
const HEIC_NAME = /\.hei[cf]$/i;

export const isHeic = ({ type, name }: ImageFacts): boolean =>
  HEIC.test(type) || (type === "" && HEIC_NAME.test(name));

export const isImage = (file: ImageFacts): boolean =>
  file.type.startsWith("image/") || isHeic(file);

/** Whether an image must be drawn anew before it can go. An animation would lose its pictures. */
export function needsDrawing(file: ImageFacts, lowData: boolean): boolean {
  if (!TAKEN.includes(file.type)) return true;
  return lowData && file.type !== "image/gif";
}

/** The size to draw at: as it is, or no longer than `side` on its longer side. */
export function drawnSize(
  width: number,
  height: number,
  side: number,
): { readonly width: number; readonly height: number } {
  const scale = Math.min(1, side / Math.max(width, height));
  return {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
}
