import { signal } from "@preact/signals";
import { SHIELD_MS } from "../../model/guard.ts";

/** Scrolling that goes on by itself says so with every frame. */
const MOMENTUM_GAP_MS = 200;

/** Whether a hand is on the screen. What moves the page by itself waits until it is off. */
export class Touch {
  /** When rows last came under the finger that were not there before: a route, a sheet, the page itself. */
  shieldedAt: number;
  readonly #nowMs: () => number;
  #fingers = 0;
  #isMouseDown = false;
  #at = -Infinity;
  /** The last touch that can go on as scrolling: a key has scrolled once it is up. */
  #swungAt = -Infinity;
  /** When the hand last scrolled what. */
  readonly #scrolledAt = new WeakMap<EventTarget, number>();
  /** What was pressed last and has acted already, until a press that comes late enough. */
  #pressed: Element | null = null;
  #actedAt = -Infinity;
  /** What had the focus then. */
  #focused: Element | null = null;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.shieldedAt = nowMs();
  }

  shield(): void {
    this.shieldedAt = this.#nowMs();
  }

  watch(window: Window): void {
    const how = { capture: true, passive: true };
    window.addEventListener("touchstart", (event) => this.#follow(event), how);
    window.addEventListener("pointerdown", (event) => this.#press(event), how);
    for (const type of ["pointerup", "pointercancel"])
      window.addEventListener(type, () => this.#lift(), how);
    window.addEventListener("wheel", () => this.#touched(), how);
    window.addEventListener("keydown", () => (this.#at = this.#nowMs()), how);
    window.addEventListener("scroll", (event) => this.#scrolled(event), how);
    window.addEventListener("mousedown", (event) => this.#keepFocus(event), { capture: true });
    window.addEventListener("click", (event) => this.#swallow(event), { capture: true });
  }

  /**
   * A press has acted before its own click comes. Where the page has moved meanwhile, that click,
   * and that of a second tap right after it, falls on what lies below the finger now: it acts on
   * nothing but what was pressed.
   */
  acted(pressed: Element): void {
    this.#pressed = pressed;
    this.#actedAt = this.#nowMs();
    this.#focused = pressed.ownerDocument.activeElement;
  }

  /** Whether what lies around this element still scrolls: a finger that stops it presses nothing. */
  isScrolling(element: Element): boolean {
    for (let at: Element | null = element; at !== null; at = at.parentElement) {
      const scrolledAt = this.#scrolledAt.get(at);
      if (scrolledAt !== undefined && this.#nowMs() - scrolledAt < MOMENTUM_GAP_MS) return true;
    }
    return false;
  }

  /** Milliseconds since the screen was last touched; 0 while a finger or a button is down. */
  untouchedMs(): number {
    return this.#fingers > 0 || this.#isMouseDown ? 0 : this.#nowMs() - this.#at;
  }

  #touched(): void {
    this.#at = this.#nowMs();
    this.#swungAt = this.#at;
  }

  /** What a finger did is told as a mouse's too, on a busy page after a field that it opened has the focus. */
  #keepFocus(event: MouseEvent): void {
    const at = this.#pressed?.ownerDocument.activeElement;
    const isOpened = at !== this.#focused && at?.tagName === "TEXTAREA";
    if (isOpened && Object(event.target).tagName !== "TEXTAREA") event.preventDefault();
  }

  #swallow(event: MouseEvent): void {
    const pressed = this.#pressed;
    // Clicks of keys and of assistive technology have no count and come without a press.
    if (pressed === null || event.detail === 0) return;
    if (event.target instanceof Node && pressed.contains(event.target)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  #press(event: PointerEvent): void {
    if (this.#nowMs() - this.#actedAt >= SHIELD_MS) this.#pressed = null;
    // Of the other buttons it is not told when they come up, once a menu has opened.
    this.#isMouseDown = event.pointerType === "mouse" && event.button === 0;
    this.#touched();
  }

  #lift(): void {
    this.#isMouseDown = false;
    this.#touched();
  }

  /** A finger ends on the element that it came down on, even when that has left the page. */
  #follow(start: TouchEvent): void {
    this.#fingers = start.touches.length;
    this.#touched();
    const ended = new AbortController();
    const end = (event: Event) => {
      if (event instanceof TouchEvent) this.#fingers = event.touches.length;
      this.#touched();
      ended.abort();
    };
    for (const type of ["touchend", "touchcancel"])
      start.target?.addEventListener(type, end, { passive: true, signal: ended.signal });
  }

  /** A terminal that follows its tail scrolls too, and is no hand. */
  #scrolled({ target }: Event): void {
    if (this.#nowMs() - this.#swungAt >= MOMENTUM_GAP_MS) return;
    this.#touched();
    if (target !== null) this.#scrolledAt.set(target, this.#at);
  }
}

const ARMED_MS = 4000;

export interface ArmedOption {
  readonly paneId: string;
  /** Place of the option: hostile menus may show a key twice. */
  readonly index: number;
  readonly signature: string;
  /** Monotonic milliseconds. */
  readonly at: number;
}

export class Arming {
  readonly current = signal<ArmedOption | null>(null);
  /** The pane whose reply field a tap or a key has just opened. */
  #replyFor: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Armed by key it stays until something changes; armed by touch it lapses. */
  arm(armed: ArmedOption, options: { readonly lapses: boolean }): void {
    clearTimeout(this.#timer);
    this.current.value = armed;
    if (options.lapses) this.#timer = setTimeout(() => this.disarm(), ARMED_MS);
  }

  openReply(paneId: string): void {
    this.#replyFor = paneId;
  }

  /** Whether a reply field that appears takes the focus: once, for the tap that opened it. */
  takesFocus(paneId: string): boolean {
    const isOpened = this.#replyFor === paneId;
    this.#replyFor = null;
    return isOpened;
  }

  disarm(): void {
    clearTimeout(this.#timer);
    this.current.value = null;
  }
}
