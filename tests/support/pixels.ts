import type { Page } from "playwright-core";

/** Smaller differences of a channel are not seen. */
const NOISE = 6;

/** Share of pixels that differ by more than noise; 1 when the PNGs are of different sizes. */
export function differingShare(page: Page, a: Uint8Array, b: Uint8Array): Promise<number> {
  return page.evaluate(
    async ({ images, noise }) => {
      const [one, two] = await Promise.all(
        images.map(async (base64) => {
          const image = new Image();
          image.src = `data:image/png;base64,${base64}`;
          await image.decode();
          const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
          context?.drawImage(image, 0, 0);
          return context?.getImageData(0, 0, image.width, image.height);
        }),
      );
      if (!one || !two || one.width !== two.width || one.height !== two.height) return 1;
      let differing = 0;
      for (let i = 0; i < one.data.length; i += 4) {
        const isOther = (channel: number) =>
          Math.abs((one.data[i + channel] ?? 0) - (two.data[i + channel] ?? 0)) > noise;
        if (isOther(0) || isOther(1) || isOther(2) || isOther(3)) differing += 1;
      }
      return differing / (one.data.length / 4);
    },
    { images: [a.toBase64(), b.toBase64()], noise: NOISE },
  );
}
