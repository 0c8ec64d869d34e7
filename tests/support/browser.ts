import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type BrowserContext, type Page } from "playwright-core";
import { buildWeb } from "../../build.ts";

const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

export interface Viewport {
  readonly width: number;
  readonly height: number;
  readonly scale?: number;
  readonly touch?: boolean;
  readonly theme?: "light" | "dark";
}

export const PHONE: Viewport = { width: 390, height: 844, scale: 2, touch: true };

/** A folder with the built web client, and a browser to look at it. */
export class BrowserLab {
  readonly folder: string;
  readonly #browser;
  readonly #root: string;

  private constructor(root: string, browser: Awaited<ReturnType<typeof chromium.launch>>) {
    this.#root = root;
    this.folder = join(root, "web");
    this.#browser = browser;
  }

  static async open(): Promise<BrowserLab> {
    const root = await mkdtemp(join(tmpdir(), "panewatch-browser-"));
    await buildWeb(join(root, "web"));
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
    return new BrowserLab(root, browser);
  }

  /** A browser profile of its own. Every error of the page fails the test that reads `errors`. */
  async page(
    viewport: Viewport,
  ): Promise<{ page: Page; context: BrowserContext; errors: string[] }> {
    const context = await this.#browser.newContext({
      viewport: { width: viewport.width, height: viewport.height },
      deviceScaleFactor: viewport.scale ?? 1,
      hasTouch: viewport.touch ?? false,
      isMobile: viewport.touch ?? false,
      colorScheme: viewport.theme ?? "light",
      timezoneId: "UTC",
      locale: "en-GB",
      serviceWorkers: "block",
    });
    const page = await context.newPage();
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error" && !message.text().includes("Failed to load resource"))
        errors.push(message.text());
    });
    return { page, context, errors };
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await rm(this.#root, { recursive: true, force: true });
  }
}
