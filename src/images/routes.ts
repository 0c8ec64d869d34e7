import { basename, join } from "node:path";
import { quoteWord } from "../lib/words.ts";
import type { Handlers, Slice } from "../slice.ts";
import { Images, type ImagesDeps, UPLOADS_FOLDER } from "./images.ts";

interface ImagesSliceDeps extends Omit<ImagesDeps, "folder"> {
  stateDir: string;
  machineOf: ImageMachineOf;
}

type ImageMachineOf = (paneId: string) => ImageTarget | null;

interface ImageTarget {
  /** @throws AppError conflict while it is away */
  requireLive(): void;
  /** @returns its path there. @throws AppError conflict, storage */
  putImage(image: { name: string; bytes: Uint8Array }): Promise<string>;
}

export function imagesSlice({ stateDir, machineOf, ...deps }: ImagesSliceDeps): Slice {
  const images = new Images({ ...deps, folder: join(stateDir, UPLOADS_FOLDER) });
  return {
    name: "images",
    routes: imageRoutes(images, machineOf),
    start: () => images.start(),
    stop: () => images.stop(),
  };
}

export function imageRoutes(
  images: Pick<Images, "receive" | "take">,
  machineOf: ImageMachineOf,
): Handlers {
  return {
    "POST /api/images": async (c) => {
      // Set first, so that refusals carry it as well.
      c.header("Cache-Control", "no-store");
      const machine = machineOf(c.req.valid("query").id);
      machine?.requireLive();
      const length = c.req.header("content-length") ?? "";
      const image = await images.receive({
        type: c.req.header("content-type") ?? null,
        bytes: /^\d+$/.test(length) ? Number(length) : null,
        body: c.req.raw.body,
      });
      if (machine === null) return c.json(image, 201);
      const bytes = await images.take(image);
      const path = await machine.putImage({ name: basename(image.path), bytes });
      return c.json({ ...image, path, terminal_text: quoteWord(path) }, 201);
    },
  };
}
