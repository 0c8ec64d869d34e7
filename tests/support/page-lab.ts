import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout } from "bun:test";
import type { BrowserContext, Page } from "playwright-core";
import type { PaneState } from "../../src/protocol/pane.ts";
import {
  BrowserLab,
  lightChromium,
  type OpenedPage,
  type PageOptions,
  PHONE,
  type Viewport,
} from "./browser.ts";
import { FixtureOrigin } from "./fixture-origin.ts";
import { FixtureServer } from "./fixture-server.ts";
import { fixturePanes } from "./fixture-panes.ts";
import { KeptPage } from "./kept-page.ts";
import { type LiveService, type LiveServiceOptions, startLiveService } from "./live-service.ts";
import { PrivateTmux } from "./tmux.ts";
import { TEST_MS } from "./until.ts";

/** Of a server at rest: what changes is told at once. */
const PASS_MS = 500;

/** Pages and origins that no test uses now. */
class Idle {
  /** By viewport and options, the page that was used last at the end. */
  #pages: { kind: string; page: KeptPage }[] = [];
  readonly origins: FixtureOrigin[] = [];

  take(kind: string): KeptPage | undefined {
    const at = this.#pages.findLastIndex((one) => one.kind === kind);
    return at < 0 ? undefined : this.#pages.splice(at, 1)[0]?.page;
  }

  async put(kind: string, page: KeptPage): Promise<void> {
    this.#pages.push({ kind, page });
    if (this.#pages.length > MOST_IDLE) await this.#pages.shift()?.page.opened.context.close();
  }

  freeOrigin(): FixtureOrigin {
    const free = this.origins.find(({ server }) => server === null) ?? new FixtureOrigin();
    if (!this.origins.includes(free)) this.origins.push(free);
    return free;
  }
}

/** Something to close, with the errors that its page has reported. */
interface Opened {
  close(): Promise<void>;
  readonly errors: string[];
}

/** Pages have a process each, which is memory. */
const MOST_IDLE = 6;
/** Where one browser serves a whole run, the files of this process share idle pages. */
const ofRun = new Idle();

/**
 * The browser of one file of tests, and what a test opens in it: pages and servers are closed when
 * the test ends, and no page may have reported an error until then.
 */
export class PageLab {
  #lab: BrowserLab | null = null;
  #opened: Opened[] = [];
  /** What outlives a test. */
  #shared: readonly Opened[] = [];
  #idle = new Idle();

  /** Declares the hooks of the file that calls it. @param launch which browser it needs */
  static ofFile(launch = lightChromium): PageLab {
    const lab = new PageLab();
    setDefaultTimeout(TEST_MS);
    beforeAll(async () => {
      lab.#lab = await BrowserLab.open(launch);
      if (lab.#lab.isOfRun) lab.#idle = ofRun;
    });
    afterEach(() => lab.#endTest());
    afterAll(async () => {
      await lab.#endShared();
      await lab.#browser.close();
      if (!lab.#browser.isOfRun) for (const origin of lab.#idle.origins) await origin.close();
    });
    return lab;
  }

  /**
   * Declares that the tests of the file or group that calls it go on, one after another, in what
   * this opens once: to load a page anew costs more than most of them.
   */
  shares(open: () => Promise<void>): void {
    beforeAll(async () => {
      await open();
      this.#shared = this.#opened;
      this.#opened = [];
    });
    afterAll(() => this.#endShared());
  }

  /** The built page. */
  get folder(): string {
    return this.#browser.folder;
  }

  get scratch(): string {
    return this.#browser.scratch;
  }

  /** Which browser it is. */
  get version(): string {
    return this.#browser.version;
  }

  /** A server with the fleet of the design, or with other panes. */
  server(panes: PaneState[] = fixturePanes(), passMs = PASS_MS): FixtureServer {
    const server = new FixtureServer(this.folder, passMs, this.#idle.freeOrigin());
    server.panes = panes;
    this.closes(() => server.stop());
    return server;
  }

  /** A server of another build, at an address of which no page has anything cached. */
  serverOf(folder: string): FixtureServer {
    const server = new FixtureServer(folder);
    server.panes = fixturePanes();
    this.closes(() => server.stop());
    return server;
  }

  /** A page as in a new browser profile. */
  async page(viewport: Viewport, options: PageOptions = {}): Promise<OpenedPage> {
    const kind = JSON.stringify([viewport, options]);
    const kept =
      this.#idle.take(kind) ??
      (await KeptPage.of(await this.#browser.page(viewport, options), viewport, options.isTimed));
    const { context, errors } = kept.opened;
    const close = async () => {
      const isNew = options.serviceWorkers !== "allow" && (await kept.reset(this.#urls));
      if (isNew) await this.#idle.put(kind, kept);
      else await context.close();
    };
    this.#opened.push({ close, errors });
    return kept.opened;
  }

  /** A page at this address. */
  async open(url: string, viewport = PHONE, options: PageOptions = {}): Promise<Page> {
    const { page } = await this.page(viewport, options);
    await page.goto(url);
    return page;
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

  get #urls(): ReadonlySet<string> {
    return new Set(this.#idle.origins.map(({ url }) => url));
  }

  get #browser(): BrowserLab {
    if (this.#lab === null) throw new Error("the browser opens before the first test");
    return this.#lab;
  }

  async #endShared(): Promise<void> {
    const shared = this.#shared;
    this.#shared = [];
    await closeAll(shared);
  }

  async #endTest(): Promise<void> {
    const opened = this.#opened;
    this.#opened = [];
    await closeAll(opened);
    expect(errorsOf(this.#shared)).toEqual([]);
  }
}

/** The last first: a page that outlives its server would report that. */
async function closeAll(opened: readonly Opened[]): Promise<void> {
  for (const { close } of opened.toReversed()) await close();
  expect(errorsOf(opened)).toEqual([]);
}

const errorsOf = (opened: readonly Opened[]): string[] =>
  opened.flatMap(({ errors }) => errors.splice(0));
