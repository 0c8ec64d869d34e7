import { join } from "node:path";
import type { Slice } from "../slice.ts";
import { Images, type ImagesDeps, UPLOADS_FOLDER } from "./images.ts";
import { imageRoutes } from "./routes.ts";

export interface ImagesSliceDeps extends Omit<ImagesDeps, "folder"> {
  stateDir: string;
}

export function imagesSlice({ stateDir, ...deps }: ImagesSliceDeps): Slice {
  const images = new Images({ ...deps, folder: join(stateDir, UPLOADS_FOLDER) });
  return {
    name: "images",
    routes: imageRoutes({ images }),
    start: () => images.start(),
    stop: () => images.stop(),
  };
}
