import {
  contrast,
  fromOklch,
  GRAPHIC_CONTRAST,
  mixed,
  nearestPassing,
  TEXT_CONTRAST,
  textOn,
  toOklch,
} from '#server/core/site/design/colors';
import type { Design } from '#server/core/site/design/design';

/** The colours of one appearance of a site. Each text colour has the contrast of level AA on paper, sheet and band. */
interface Shades {
  readonly paper: string;
  /** Background of cards, fields and menus. */
  readonly sheet: string;
  /** Background of tinted sections. */
  readonly band: string;
  readonly ink: string;
  /** Secondary text. */
  readonly soft: string;
  readonly rule: string;
  /** Problems of forms. */
  readonly wrong: string;
  readonly accent: string;
  /** Text on the accent. */
  readonly 'accent-ink': string;
  readonly link: string;
  /** Background of a footer that is a band, dark in both appearances, and its text. */
  readonly foot: string;
  readonly 'foot-ink': string;
}

/** Lightness below which a colour is dark. */
const MIDDLE = 0.5;
/** Shares of the brand colour in the background of tinted sections, best first. */
const BAND_SHARES = [0.1, 0.06, 0.03];

/** Background of cards: lighter than the paper, or darker if the paper is nearly white. */
function sheetOf(paper: string): string {
  const { l, c, h } = toOklch(paper);
  if (l < MIDDLE) return fromOklch({ l: l + 0.045, c, h });
  return l > 0.985
    ? fromOklch({ l: l - 0.025, c: Math.max(c, 0.004), h })
    : fromOklch({ l: Math.min(1, l + 0.03), c, h });
}

/** The paper with some of the brand colour, on which a text stays readable. */
function bandOf(paper: string, text: string, brand: string): string {
  const bands = BAND_SHARES.map((share) => mixed(paper, brand, share));
  return bands.find((band) => contrast(text, band) >= TEXT_CONTRAST) ?? paper;
}

/** The largest share of paper that can be mixed into the ink so that it stays readable. */
function softOf(ink: string, backgrounds: readonly string[], paper: string): string {
  const shares = [0.38, 0.32, 0.26, 0.2, 0.14, 0.08];
  const found = shares
    .map((share) => mixed(ink, paper, share))
    .find((color) => backgrounds.every((background) => contrast(color, background) >= TEXT_CONTRAST));
  return found ?? ink;
}

function shadesOn(paper: string, ink: string, brand: string): Shades {
  const sheet = sheetOf(paper);
  const text = nearestPassing(ink, [paper, sheet], TEXT_CONTRAST);
  const band = bandOf(paper, text, brand);
  const backgrounds = [paper, sheet, band];
  const isDark = toOklch(paper).l < MIDDLE;
  const accent = nearestPassing(brand, [paper], GRAPHIC_CONTRAST);
  return {
    paper,
    sheet,
    band,
    ink: text,
    soft: softOf(text, backgrounds, paper),
    rule: mixed(paper, ink, 0.16),
    wrong: nearestPassing('#b3261e', backgrounds, TEXT_CONTRAST),
    accent,
    'accent-ink': textOn(accent),
    link: nearestPassing(brand, backgrounds, TEXT_CONTRAST),
    foot: isDark ? sheet : text,
    'foot-ink': isDark ? text : paper,
  };
}

/** The brand colour of a site: that of the palette, otherwise the accent colour of its settings. */
export const brandOf = ({ brand }: Design['palette'], accentColor: string): string => brand || accentColor;

/**
 * The shades of a palette for the light and the dark appearance. The palette is the light one, unless its paper is dark: then both
 * are equal.
 */
export function shadesOf({ brand, ink, paper }: Design['palette']): { readonly light: Shades; readonly dark: Shades } {
  const light = shadesOn(paper, ink, brand);
  const { l, c, h } = toOklch(paper);
  if (l < MIDDLE) return { light, dark: light };
  const tint = Math.min(0.018, Math.max(c, toOklch(ink).c));
  const night = fromOklch({ l: 0.19, c: tint, h: c > 0.004 ? h : toOklch(ink).h });
  const text = fromOklch({ l: 0.93, c: Math.min(c, 0.015), h });
  return { light, dark: shadesOn(night, text, brand) };
}
