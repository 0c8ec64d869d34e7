import type { Page } from "playwright-core";

const TARGET_PX = 44;
const ANSWER_PX = 52;
const ANSWER_GAP_PX = 8;

/**
 * What is wrong with the page as it stands: anything wider or higher than it, text cut without a
 * sign, and, for fingers, targets that are too small, too close or covered.
 */
export function audit(page: Page, forTouch: boolean): Promise<string[]> {
  return page.evaluate(
    ({ forTouch, target, answer, gap }) => {
      const found: string[] = [];
      const modal = document.querySelector('[aria-modal="true"]');
      const root = modal ?? document.body;
      const nameOf = (element: Element) => {
        const words = element.getAttribute("aria-label") ?? element.textContent ?? "";
        const classes = element.getAttribute("class")?.trim().replace(/\s+/g, ".");
        return `${element.tagName.toLowerCase()}${classes ? `.${classes}` : ""} "${words.trim().slice(0, 40)}"`;
      };
      const styleOf = (element: Element) => getComputedStyle(element);
      const isSeen = (element: Element) => {
        const box = element.getBoundingClientRect();
        return (
          box.width > 1 &&
          box.height > 1 &&
          element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
          !element.closest(".visually-hidden, .skip-link, [aria-hidden=true], [inert]")
        );
      };
      function* ancestors(element: Element) {
        for (let up = element.parentElement; up !== null; up = up.parentElement) yield up;
      }
      const clips = (value: string) => value !== "visible";
      type Box = { left: number; top: number; right: number; bottom: number };
      const common = (a: Box, b: Box): Box => ({
        left: Math.max(a.left, b.left),
        top: Math.max(a.top, b.top),
        right: Math.min(a.right, b.right),
        bottom: Math.min(a.bottom, b.bottom),
      });
      /** The part of the element inside the window and its scrolling and clipping ancestors. */
      const shownBox = (element: Element) => {
        const whole = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
        let shown = common(element.getBoundingClientRect(), whole);
        for (const up of ancestors(element)) {
          const { display, overflowX, overflowY } = styleOf(up);
          if (display !== "contents" && (clips(overflowY) || clips(overflowX)))
            shown = common(shown, up.getBoundingClientRect());
        }
        return shown;
      };
      const width = document.documentElement.scrollWidth;
      if (width > innerWidth) found.push(`the page is ${width} px wide in ${innerWidth}`);
      // Lists scroll, what they stand in does not; words for screen readers alone end one pixel below.
      const height = document.documentElement.scrollHeight;
      if (document.querySelector(".app") !== null && height > innerHeight + 1)
        found.push(`the page is ${height} px high in ${innerHeight}`);
      const elements = [...root.querySelectorAll("*")].filter(isSeen);
      const scrollsAcross = (element: Element) =>
        [element, ...ancestors(element)].some(
          (up) =>
            ["auto", "scroll"].includes(styleOf(up).overflowX) &&
            !up.matches("main, .scroll, .sheet-body"),
        );
      const isEllipsed = (element: Element) =>
        element.closest(".truncate") !== null ||
        [...ancestors(element)].some((up) => {
          const { webkitLineClamp, textOverflow } = styleOf(up);
          return textOverflow === "ellipsis" || webkitLineClamp !== "none";
        });
      for (const element of elements) {
        const box = element.getBoundingClientRect();
        if (
          (box.right > innerWidth + 1 || box.left < -1) &&
          !scrollsAcross(element) &&
          !isEllipsed(element)
        )
          found.push(`leaves the window sideways: ${nameOf(element)}`);
        const style = styleOf(element);
        const hasText = [...element.childNodes].some(
          (n) => n.nodeType === 3 && n.textContent?.trim(),
        );
        const isDeclared =
          element.closest(".truncate, [class*=clamp], .option-description") !== null;
        if (!hasText || isDeclared || element.matches("input, textarea")) continue;
        const isCutAcross =
          style.overflowX === "hidden" && element.scrollWidth > element.clientWidth + 1;
        const isCutDown =
          style.overflowY === "hidden" && element.scrollHeight > element.clientHeight + 2;
        if (isCutAcross || isCutDown) found.push(`text is cut: ${nameOf(element)}`);
      }

      // An answer that is being sent takes no touch.
      const answers = elements.filter((e) =>
        e.matches("[role=option][data-key]:not([aria-busy=true])"),
      );
      for (const [i, element] of answers.entries()) {
        const box = element.getBoundingClientRect();
        // A phone on its side has all answers on its screen, each as high as any target.
        if (box.height < (innerHeight < 480 ? target : answer) - 0.5)
          found.push(`answer of ${box.height.toFixed(1)} px: ${nameOf(element)}`);
        const next = answers[i + 1];
        if (next === undefined || next.parentElement !== element.parentElement) continue;
        const distance = next.getBoundingClientRect().top - box.bottom;
        if (distance < gap - 0.5)
          found.push(`answers ${distance.toFixed(1)} px apart: ${nameOf(next)}`);
      }

      if (!forTouch) return [...new Set(found)];
      /** The element that takes a touch there in place of this one; null: none. */
      const coverOf = (element: Element, label: Element | null, at: { x: number; y: number }) => {
        const hit = document.elementFromPoint(at.x, at.y);
        const isOwn =
          hit === null ||
          element.contains(hit) ||
          hit.contains(element) ||
          label?.contains(hit) === true ||
          hit.closest(".floating, .toast, .insert-menu") !== null;
        return isOwn ? null : hit;
      };
      /** `look` at the element in the middle of its list: it may lie below the list's head or edge. */
      const inTheMiddle = <T>(element: Element, look: (shown: Box) => T): T => {
        const scrolled = [...ancestors(element)].map(
          (up) => [up, up.scrollLeft, up.scrollTop] as const,
        );
        element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
        const seen = look(shownBox(element));
        for (const [up, left, top] of scrolled) up.scrollTo({ left, top, behavior: "instant" });
        return seen;
      };
      const isOut = ({ left, top, right, bottom }: Box) => right - left < 8 || bottom - top < 8;
      const middleOf = ({ left, top, right, bottom }: Box) => ({
        x: (left + right) / 2,
        y: (top + bottom) / 2,
      });
      const targets = elements.filter((element) =>
        element.matches(
          "button, a[href], input, textarea, select, [role=option], [role=switch], [role=checkbox]",
        ),
      );
      for (const element of targets) {
        // A diff is read line by line, and its lines lie close like a terminal's.
        if (element.matches(".diff-line")) continue;
        const shown = shownBox(element);
        if (isOut(shown)) {
          if (inTheMiddle(element, isOut)) found.push(`${nameOf(element)} cannot be reached`);
          continue;
        }
        const label = element.closest("label");
        const box = (label ?? element).getBoundingClientRect();
        // A pseudo-element may reach beyond the box that is drawn.
        const reach = getComputedStyle(element, "::after");
        const isReaching = reach.position === "absolute" && reach.content !== "none";
        const grown = (size: string) => (isReaching && Number.parseFloat(size)) || 0;
        const own = element.getBoundingClientRect();
        const height = Math.max(box.height, own.height, grown(reach.height));
        const across = Math.max(box.width, own.width, grown(reach.width));
        if (height < target - 0.5 || across < target - 0.5)
          found.push(
            `target of ${across.toFixed(1)} x ${height.toFixed(1)} px: ${nameOf(element)}`,
          );
        const coverAt = (box: Box) => coverOf(element, label, middleOf(box));
        const over = coverAt(shown);
        if (over !== null && inTheMiddle(element, coverAt) !== null)
          found.push(`${nameOf(element)} is covered by ${nameOf(over)}`);
      }
      return [...new Set(found)];
    },
    { forTouch, target: TARGET_PX, answer: ANSWER_PX, gap: ANSWER_GAP_PX },
  );
}
