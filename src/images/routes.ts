import { join } from "node:path";
import { Hono } from "hono";
import type { Routes, Slice } from "../slice.ts";
import { Images, type ImagesDeps, UPLOADS_FOLDER } from "./images.ts";

export interface ImagesSliceDeps extends Omit<ImagesDeps, "folder"> {
  stateDir: string;
}

export function imagesSlice({ stateDir, ...deps }: ImagesSliceDeps): Slice {
  const images = new Images({ ...deps, folder: join(stateDir, UPLOADS_FOLDER) });
  return {
    name: "images",
    routes: imageRoutes(images),
    start: () => images.start(),
    stop: () => images.stop(),
  };
}

export function imageRoutes(images: Pick<Images, "receive">): Routes {
  const app: Routes = new Hono();
  app.post("/api/images", async (c) => {
    // Set first, so that refusals carry it as well.
    c.header("Cache-Control", "no-store");
    const length = c.req.header("content-length") ?? "";
    const image = await images.receive({
      type: c.req.header("content-type") ?? null,
      bytes: /^\d+$/.test(length) ? Number(length) : null,
      body: c.req.raw.body,
    });
    return c.json(image, 201);
  });
  return app;
}
