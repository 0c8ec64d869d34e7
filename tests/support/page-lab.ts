import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout } from "bun:test";
import type { BrowserContext } from "playwright-core";
import type { PaneState } from "../../src/protocol/pane.ts";
import {
  BrowserLab,
  lightChromium,
  type OpenedPage,
  type PageOptions,
  type Viewport,
} from "./browser.ts";
import { FixtureServer } from "./fixture-server.ts";
import { fixturePanes } from "./fixture-panes.ts";
import { type LiveService, type LiveServiceOptions, startLiveService } from "./live-service.ts";
import { PrivateTmux } from "./tmux.ts";

/** What a test with a browser may take beside a load; most need a second. */
const TIMEOUT_MS = 120_000;

/**
 * The browser of one file of tests, and what a test opens in it: pages and servers are closed when
 * the test ends, and no page may have reported an error until then.
 */
export class PageLab {
  #lab: BrowserLab | null = null;
  #opened: { close(): Promise<void>; errors: readonly string[] }[] = [];

  /** Declares the hooks of the file that calls it. @param launch which browser it needs */
  static ofFile(launch = lightChromium): PageLab {
    const lab = new PageLab();
    setDefaultTimeout(TIMEOUT_MS);
    beforeAll(async () => {
      lab.#lab = await BrowserLab.open(launch);
    });
    afterEach(() => lab.#endTest());
    afterAll(() => lab.#browser.close());
    return lab;
  }

  /** The built page. */
  get folder(): string {
    return this.#browser.folder;
  }

  get scratch(): string {
    return this.#browser.scratch;
  }

  /** A server with the fleet of the design, or with other panes. */
  server(panes: PaneState[] = fixturePanes(), passMs?: number): FixtureServer {
    const server = new FixtureServer(this.folder, passMs);
    server.panes = panes;
    this.closes(() => server.stop());
    return server;
  }

  /** A page in a browser profile of its own. */
  async page(viewport: Viewport, options: PageOptions = {}): Promise<OpenedPage> {
    const opened = await this.#browser.page(viewport, options);
    const { context, errors } = opened;
    this.#opened.push({ close: () => context.close(), errors });
    return opened;
  }

  /** A profile on disk, as people have one. */
  async profile(): Promise<BrowserContext> {
    const context = await this.#browser.profile();
    this.closes(() => context.close());
    return context;
  }

  /** A tmux server of its own. */
  async tmux(): Promise<PrivateTmux> {
    const tmux = await PrivateTmux.start();
    this.closes(() => tmux.stop());
    return tmux;
  }

  /** The real service with the built page. */
  async service(options: Omit<LiveServiceOptions, "assets">): Promise<LiveService> {
    const service = await startLiveService({ ...options, assets: this.folder });
    this.closes(() => service.stop());
    return service;
  }

  /** What else the test has opened; it is closed before what was opened before it. */
  closes(close: () => Promise<void>): void {
    this.#opened.push({ close, errors: [] });
  }

  get #browser(): BrowserLab {
    if (this.#lab === null) throw new Error("the browser opens before the first test");
    return this.#lab;
  }

  /** The last first: a page that outlives its server would report that. */
  async #endTest(): Promise<void> {
    const opened = this.#opened.toReversed();
    this.#opened = [];
    for (const { close } of opened) await close();
    expect(opened.flatMap(({ errors }) => errors)).toEqual([]);
  }
}
