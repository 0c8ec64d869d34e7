const MAX_HEIGHT_PX = 180;

/** Lets a text field be as high as its text, up to a limit. Reads once, then writes. */
export function growWithText(field: HTMLTextAreaElement | null): void {
  if (field === null) return;
  field.style.setProperty("height", "auto");
  const height = Math.min(field.scrollHeight, MAX_HEIGHT_PX);
  field.style.setProperty("height", `${height}px`);
}
