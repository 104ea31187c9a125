// How wide a label may be, without a browser to measure it. Labels are set in a monospaced font, of
// which the widest in use (DejaVu, Menlo) take 0.602 of their size; a little more is reckoned.

export const FONT_PX = 11;
const ASCII_PX = 6.8;
/** Arrows, ellipses and other scripts may come from another font: up to a full em, and a half. */
const OTHER_PX = 12;
const WIDE_PX = 17;
const MOST_CHARS = 44;

/** At least as wide as the text is drawn, in px. */
export function textWidth(text: string): number {
  let width = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    width += code < 0x80 ? ASCII_PX : code < 0x2e80 ? OTHER_PX : WIDE_PX;
  }
  return Math.ceil(width);
}

/** Cuts what is too long for a label; its title keeps the whole. */
export function clipped(text: string): string {
  const chars = [...text.replace(/[\s\p{Cc}]+/gu, " ")];
  return chars.length <= MOST_CHARS
    ? chars.join("")
    : `${chars.slice(0, MOST_CHARS - 1).join("")}…`;
}

/** Text as XML may hold it. */
export function escapeXml(text: string): string {
  return text
    .replace(/(?![\t\n\r])\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu, "\ufffd")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;");
}
