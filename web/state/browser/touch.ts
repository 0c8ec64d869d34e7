import { signal } from "@preact/signals";
import { SHIELD_MS } from "../../model/guard.ts";

/** Momentum scrolling fires an event with every frame. */
const MOMENTUM_GAP_MS = 200;

/** Tells whether a hand is on the screen. Automatic movement waits until it is off. */
export class Touch {
  /** When other rows last came under the finger: by a route, a sheet, or the page itself. */
  shieldedAt: number;
  readonly #nowMs: () => number;
  #fingers = 0;
  #isMouseDown = false;
  #at = -Infinity;
  /** The last touch that can turn into momentum scrolling; scrolling by key ends with the key. */
  #swungAt = -Infinity;
  /** When the hand last scrolled each element. */
  readonly #scrolledAt = new WeakMap<EventTarget, number>();
  /** The element of the last press that has acted, until the shield time is over. */
  #pressed: Element | null = null;
  #actedAt = -Infinity;
  /** Element with the focus at that press. */
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
   * Called when a press acts before its click. If the page moves meanwhile, that click, or a second
   * tap, falls on other elements: it may act only on what was pressed.
   */
  acted(pressed: Element): void {
    this.#pressed = pressed;
    this.#actedAt = this.#nowMs();
    this.#focused = pressed.ownerDocument.activeElement;
  }

  /** Whether an ancestor still scrolls: a finger that stops scrolling presses nothing. */
  isScrolling(element: Element): boolean {
    for (let at: Element | null = element; at !== null; at = at.parentElement) {
      const scrolledAt = this.#scrolledAt.get(at);
      if (scrolledAt !== undefined && this.#nowMs() - scrolledAt < MOMENTUM_GAP_MS) return true;
    }
    return false;
  }

  /** 0 while a finger or button is down. */
  untouchedMs(): number {
    return this.#fingers > 0 || this.#isMouseDown ? 0 : this.#nowMs() - this.#at;
  }

  #touched(): void {
    this.#at = this.#nowMs();
    this.#swungAt = this.#at;
  }

  /**
   * A touch fires mouse events afterwards, on a busy page after the field that it opened got the
   * focus.
   */
  #keepFocus(event: MouseEvent): void {
    const at = this.#pressed?.ownerDocument.activeElement;
    const isOpened = at !== this.#focused && at?.tagName === "TEXTAREA";
    if (isOpened && Object(event.target).tagName !== "TEXTAREA") event.preventDefault();
  }

  #swallow(event: MouseEvent): void {
    const pressed = this.#pressed;
    // Clicks of keys and assistive technology have `detail` 0 and no press before them.
    if (pressed === null || event.detail === 0) return;
    if (event.target instanceof Node && pressed.contains(event.target)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  #press(event: PointerEvent): void {
    if (this.#nowMs() - this.#actedAt >= SHIELD_MS) this.#pressed = null;
    // No `pointerup` follows for other buttons once a context menu has opened.
    this.#isMouseDown = event.pointerType === "mouse" && event.button === 0;
    this.#touched();
  }

  #lift(): void {
    this.#isMouseDown = false;
    this.#touched();
  }

  /** Touch events go to the element of `touchstart`, even after it has left the page. */
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

  /** Only scrolling that follows a touch: a terminal that follows its tail scrolls as well. */
  #scrolled({ target }: Event): void {
    if (this.#nowMs() - this.#swungAt >= MOMENTUM_GAP_MS) return;
    this.#touched();
    if (target !== null) this.#scrolledAt.set(target, this.#at);
  }
}

const ARMED_MS = 4000;

interface ArmedOption {
  readonly paneId: string;
  /** Index of the option: a hostile menu may repeat a key. */
  readonly index: number;
  readonly signature: string;
  /** Monotonic milliseconds. */
  readonly at: number;
}

export class Arming {
  readonly current = signal<ArmedOption | null>(null);
  /** The pane whose reply field was just opened. */
  #replyFor: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Armed by touch it `lapses`; armed by key it stays until something changes. */
  arm(armed: ArmedOption, options: { readonly lapses: boolean }): void {
    clearTimeout(this.#timer);
    this.current.value = armed;
    if (options.lapses) this.#timer = setTimeout(() => this.disarm(), ARMED_MS);
  }

  openReply(paneId: string): void {
    this.#replyFor = paneId;
  }

  /** True once after the tap that opened the field. */
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
