import { Hono } from "hono";
import type { Routes } from "../slice.ts";
import type { Images } from "./images.ts";

export interface ImageRoutesDeps {
  images: Images;
}

export function imageRoutes({ images }: ImageRoutesDeps): Routes {
  const app: Routes = new Hono();
  app.post("/api/images", async (c) => {
    // Set before the work: refusals carry it as well.
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
