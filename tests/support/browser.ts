import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from "playwright-core";
import { buildWeb } from "../../build.ts";
import { built } from "./built.ts";
import { cpuSecondsBelow } from "./cpu-seconds.ts";
import { headlessShell } from "./headless-shell.ts";
import type { Prepared } from "./suite.ts";
import { WAIT_MS } from "./until.ts";

/**
 * Features that are switched off. The drop-down pages of the address bar cost every window two
 * renderers. Chromium takes the last list of its command line, so Playwright's list is in this one.
 */
const WITHOUT = [
  ...["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"],
  ...["AimEnabled", "AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync"],
  ...["DestroyProfileOnBrowserClose", "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades"],
  ...["LensOverlay", "MediaRouter", "NetworkTimeServiceQuerying", "OptimizationHints"],
  ...["PaintHolding", "PreconnectToSearch", "ThirdPartyStoragePartitioning"],
];

/** The same picture on every run of one machine, and nothing of Chromium's own on the network. */
const argsWithout = (features: readonly string[]) => [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--disable-features=${features.join(",")}`,
  "--font-render-hinting=none",
  "--disable-font-subpixel-positioning",
  "--force-color-profile=srgb",
  "--host-resolver-rules=MAP mina.localhost 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
];
const ARGS = argsWithout(WITHOUT);
/**
 * For pages that live for seconds: a frame is used again for the next document, and no script is
 * optimised.
 */
const LIGHT_ARGS = [
  ...argsWithout([...WITHOUT, "RenderDocument"]),
  "--js-flags=--no-maglev --no-turbofan",
];
const LOOPBACK = /^(wss?|https?):\/\/(127\.0\.0\.1|([a-z]+\.)?localhost)[:/]/;
/** What Chromium says of a request that failed; tests make them fail on purpose. */
const OF_THE_NETWORK = /^(Failed to load resource|WebSocket connection to .* failed)/;
/** Addresses that never leave the browser. */
const LOCAL = /^(data|blob|about|chrome-extension):/;

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
/** Address of the browser that all processes of a run share. */
const SERVER = process.env.PANEWATCH_TEST_BROWSER;
/** The connection to it, which all files of this process share; it ends with the process. */
const ofRun: { browser?: Promise<Browser> } = {};

export interface Viewport {
  readonly width: number;
  readonly height: number;
  readonly scale?: number;
  readonly touch?: boolean;
  readonly theme?: "light" | "dark";
}

type ContextOption = "serviceWorkers" | "ignoreHTTPSErrors" | "reducedMotion" | "forcedColors";

export interface PageOptions extends Pick<BrowserContextOptions, ContextOption> {
  /** What its clock shows, in milliseconds, while its timers run. */
  readonly fixedTime?: number;
  /** Its clock is to be a test's (`PageTime`). */
  readonly isTimed?: boolean;
}

export interface OpenedPage {
  page: Page;
  context: BrowserContext;
  /** Errors of the page, violations of its policy, and requests that left this machine. */
  errors: string[];
}

export const PHONE: Viewport = { width: 390, height: 844, scale: 2, touch: true };

/** The browser that people have: it installs apps, shows alerts, and its pixels are compared. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ARGS });
}

/** For tests that need neither an installed app nor alerts. */
export const lightPath = () => process.env.CHROMIUM ?? headlessShell() ?? CHROMIUM;

export function lightChromium(): Promise<Browser> {
  if (SERVER === undefined)
    return chromium.launch({ executablePath: lightPath(), args: LIGHT_ARGS });
  return (ofRun.browser ??= chromium.connect(SERVER));
}

/** One browser for a whole run: each file of tests connects to it instead of starting its own. */
export async function openBrowserServer(): Promise<Prepared> {
  const server = await chromium.launchServer({
    executablePath: lightPath(),
    args: LIGHT_ARGS,
    host: "127.0.0.1",
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  return {
    env: { PANEWATCH_TEST_BROWSER: server.wsEndpoint() },
    cpuSeconds: () => cpuSecondsBelow(server.process().pid ?? 0),
    close: () => server.close(),
  };
}

/** A folder with the built web client, and a browser to look at it. */
export class BrowserLab {
  readonly folder: string;
  /** For what a test writes; gone when the lab is closed. */
  readonly scratch: string;
  /** The browser, and what was opened in it, outlive this lab. */
  readonly isOfRun: boolean;
  readonly #browser;

  private constructor(folder: string, scratch: string, browser: Browser, isOfRun: boolean) {
    this.folder = folder;
    this.scratch = scratch;
    this.isOfRun = isOfRun;
    this.#browser = browser;
  }

  static async open(launch = launchChromium): Promise<BrowserLab> {
    const scratch = await mkdtemp(join(tmpdir(), "panewatch-browser-"));
    let folder = await built("web");
    if (folder === null) await buildWeb((folder = join(scratch, "web")));
    const browser = await launch();
    return new BrowserLab(folder, scratch, browser, browser === (await ofRun.browser));
  }

  /** A browser profile of its own. Whatever lands in `errors` fails the test that reads it. */
  async page(
    { scale = 1, touch = false, theme = "light", ...viewport }: Viewport,
    { fixedTime, isTimed: _, ...options }: PageOptions = {},
  ): Promise<OpenedPage> {
    const context = await this.#browser.newContext({
      ...{ viewport, deviceScaleFactor: scale, hasTouch: touch, isMobile: touch },
      ...{ colorScheme: theme, timezoneId: "UTC", locale: "en-GB" },
      // Without a service worker a page always shows the files as they are.
      serviceWorkers: "block",
      // An endless animation is drawn sixty times a second, seen or not.
      reducedMotion: "reduce",
      ...options,
    });
    const errors: string[] = [];
    const visited = (url: string) => {
      if (!LOOPBACK.test(url) && !LOCAL.test(url)) errors.push(`request to ${url}`);
    };
    context.on("request", (request) => visited(request.url()));
    context.setDefaultTimeout(WAIT_MS);
    if (fixedTime !== undefined) await context.clock.setFixedTime(fixedTime);
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
    context.setDefaultTimeout(WAIT_MS);
    return context;
  }

  async close(): Promise<void> {
    if (!this.isOfRun) await this.#browser.close();
    await rm(this.scratch, { recursive: true, force: true });
  }
}
