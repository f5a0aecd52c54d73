import type { CSSProperties } from 'react';

/** Relative luminance of `#rrggbb` (WCAG 2), 0 to 1. */
function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/**
 * Luminance of a background on which white and near-black (#161310) text have the same contrast, by the formula of WCAG
 * 2.
 */
const EVEN_LUMINANCE = 0.183;

/** The accent colour `#rrggbb` and a readable text colour on it, as CSS variables of the site's style sheet. */
export function accentStyle(accentColor: string): CSSProperties {
  const ink = luminance(accentColor) > EVEN_LUMINANCE ? '#161310' : '#ffffff';
  return { '--site-accent': accentColor, '--site-accent-ink': ink } as CSSProperties;
}
