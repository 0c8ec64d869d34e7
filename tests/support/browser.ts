import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { buildWeb } from "../../build.ts";

/**
 * What the browser does without. The drop-down pages of an address bar that nobody sees cost every
 * window two renderers, more than the page under test. Only the last list of a command line
 * counts, so Playwright's own are in it as well.
 */
const WITHOUT = [
  ...["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"],
  ...["AimEnabled", "AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync"],
  ...["DestroyProfileOnBrowserClose", "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades"],
  ...["LensOverlay", "MediaRouter", "NetworkTimeServiceQuerying", "OptimizationHints"],
  ...["PaintHolding", "PreconnectToSearch", "ThirdPartyStoragePartitioning"],
];

/** The same picture on every run of one machine, and nothing of Chromium's own on the network. */
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--disable-features=${WITHOUT.join(",")}`,
  "--font-render-hinting=none",
  "--disable-font-subpixel-positioning",
  "--force-color-profile=srgb",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
];
const LOOPBACK = /^(wss?|https?):\/\/(127\.0\.0\.1|localhost)[:/]/;
const ROOT = join(import.meta.dir, "..", "..");
/** What `bun build.ts` leaves; the same for all tests while nothing has changed since. */
const BUILT_WEB = join(ROOT, "dist", "web");
const SOURCES = ["web", "src", "build.ts", "package-lock.json"].map((name) => join(ROOT, name));
/** What Chromium says of a request that failed; tests make them fail on purpose. */
const OF_THE_NETWORK = /^(Failed to load resource|WebSocket connection to .* failed)/;
/** Addresses that never leave the browser. */
const LOCAL = /^(data|blob|about|chrome-extension):/;

/** A condition that is not met after so long is not met: slow machines are slow, not wrong. */
const TIMEOUT_MS = 30_000;

export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

export interface Viewport {
  readonly width: number;
  readonly height: number;
  readonly scale?: number;
  readonly touch?: boolean;
  readonly theme?: "light" | "dark";
}

export interface PageOptions {
  /** Installs the service worker; without it a page always shows the files as they are. */
  readonly serviceWorkers?: "allow" | "block";
  readonly reducedMotion?: "reduce" | "no-preference";
  readonly forcedColors?: "active" | "none";
  readonly contrast?: "more" | "no-preference";
}

export interface OpenedPage {
  page: Page;
  context: BrowserContext;
  /** Errors of the page, violations of its policy, and requests that left this machine. */
  errors: string[];
}

export const PHONE: Viewport = { width: 390, height: 844, scale: 2, touch: true };

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ARGS });
}

/** A folder with the built web client, and a browser to look at it. */
export class BrowserLab {
  readonly folder: string;
  /** For what a test writes; gone when the lab is closed. */
  readonly scratch: string;
  readonly #browser;

  private constructor(folder: string, scratch: string, browser: Browser) {
    this.folder = folder;
    this.scratch = scratch;
    this.#browser = browser;
  }

  static async open(): Promise<BrowserLab> {
    const scratch = await mkdtemp(join(tmpdir(), "panewatch-browser-"));
    const isBuilt = await isFresh(BUILT_WEB, SOURCES);
    const folder = isBuilt ? BUILT_WEB : join(scratch, "web");
    if (!isBuilt) await buildWeb(folder);
    const browser = await launchChromium();
    return new BrowserLab(folder, scratch, browser);
  }

  /** A browser profile of its own. Whatever lands in `errors` fails the test that reads it. */
  async page(viewport: Viewport, options: PageOptions = {}): Promise<OpenedPage> {
    const context = await this.#browser.newContext({
      viewport: { width: viewport.width, height: viewport.height },
      deviceScaleFactor: viewport.scale ?? 1,
      hasTouch: viewport.touch ?? false,
      isMobile: viewport.touch ?? false,
      colorScheme: viewport.theme ?? "light",
      timezoneId: "UTC",
      locale: "en-GB",
      serviceWorkers: options.serviceWorkers ?? "block",
      reducedMotion: options.reducedMotion ?? "no-preference",
      forcedColors: options.forcedColors ?? "none",
      contrast: options.contrast ?? "no-preference",
    });
    const errors: string[] = [];
    const visited = (url: string) => {
      if (!LOOPBACK.test(url) && !LOCAL.test(url)) errors.push(`request to ${url}`);
    };
    context.on("request", (request) => visited(request.url()));
    context.setDefaultTimeout(TIMEOUT_MS);
    const page = await context.newPage();
    page.on("websocket", (socket) => visited(socket.url()));
    page.on("pageerror", (error) => errors.push(String(error)));
    // Chromium reports what the Content-Security-Policy has stopped as an error of the console.
    page.on("console", (message) => {
      if (message.type() === "error" && !OF_THE_NETWORK.test(message.text()))
        errors.push(message.text());
    });
    return { page, context, errors };
  }

  get version(): string {
    return this.#browser.version();
  }

  /** A browser with a profile on disk, as people have one; closed by who asked for it. */
  async profile(): Promise<BrowserContext> {
    const folder = join(this.scratch, `profile-${crypto.randomUUID()}`);
    const options = { executablePath: CHROMIUM, args: ARGS };
    const context = await chromium.launchPersistentContext(folder, options);
    context.setDefaultTimeout(TIMEOUT_MS);
    return context;
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await rm(this.scratch, { recursive: true, force: true });
  }
}

/** Whether a build is younger than everything it is made from; what was removed ages its folder. */
async function isFresh(built: string, sources: readonly string[]): Promise<boolean> {
  const page = await stat(join(built, "index.html")).catch(() => null);
  if (page === null) return false;
  for (const source of sources) {
    const inner = (await stat(source)).isDirectory()
      ? await readdir(source, { recursive: true })
      : [];
    for (const path of [source, ...inner.map((name) => join(source, name))])
      if ((await stat(path)).mtimeMs >= page.mtimeMs) return false;
  }
  return true;
}
