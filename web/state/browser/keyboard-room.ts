/**
 * How much of the page the on-screen keyboard covers, as `--kb`. Browsers that resize the content by
 * themselves report no overlap; the others move only the visual viewport. Nothing is covered until it
 * moves: asking at the start would force a layout of a page that is about to change.
 */
export function followKeyboard(window: Window): void {
  const viewport = window.visualViewport;
  if (viewport === null) return;
  const update = () => {
    const { innerHeight, document } = window;
    // A pinched page is not one with a keyboard.
    const isZoomed = viewport.scale > 1.05;
    const covered = innerHeight - viewport.height - viewport.offsetTop;
    const overlap = isZoomed ? 0 : Math.max(0, Math.round(covered));
    document.documentElement.style.setProperty("--kb", `${overlap}px`);
  };
  viewport.addEventListener("resize", update);
  viewport.addEventListener("scroll", update);
}
