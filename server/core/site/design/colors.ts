/* Colours as `#rrggbb`: contrast by WCAG 2, and lightness by OKLCH (https://bottosson.github.io/posts/oklab). */

/** A colour in OKLCH: lightness 0 to 1, chroma from 0, hue in degrees. */
interface Oklch {
  readonly l: number;
  readonly c: number;
  readonly h: number;
}

/** Smallest contrast of text to its background (WCAG 2.2, 1.4.3, level AA). */
export const TEXT_CONTRAST = 4.5;
/** Smallest contrast of controls and graphics to what is around them (WCAG 2.2, 1.4.11, level AA). */
export const GRAPHIC_CONTRAST = 3;

const DARK_TEXT = '#161310';
const LIGHT_TEXT = '#ffffff';
/** Luminance up to which white text on a background has `TEXT_CONTRAST`. */
const MAX_LUMINANCE_OF_WHITE = 0.183;

const toLinear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const fromLinear = (value: number) => (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055);

/** Red, green and blue in linear light, 0 to 1. */
function linear(color: string): readonly [number, number, number] {
  const channel = (at: number) => toLinear(Number.parseInt(color.slice(at, at + 2), 16) / 255);
  return [channel(1), channel(3), channel(5)];
}

/** Relative luminance (WCAG 2), 0 to 1. */
function luminance(color: string): number {
  const [r, g, b] = linear(color);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Contrast ratio of two colours (WCAG 2), 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** White, or else nearly black, or else black text: the first that has `TEXT_CONTRAST` on a background. */
export function textOn(background: string): string {
  if (luminance(background) <= MAX_LUMINANCE_OF_WHITE) return LIGHT_TEXT;
  return contrast(DARK_TEXT, background) >= TEXT_CONTRAST ? DARK_TEXT : '#000000';
}

export function toOklch(color: string): Oklch {
  const [r, g, b] = linear(color);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const y = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  return {
    l: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    c: Math.hypot(a, y),
    h: (Math.atan2(y, a) * 180) / Math.PI,
  };
}

function linearOf({ l, c, h }: Oklch): readonly number[] {
  const [a, b] = [c * Math.cos((h * Math.PI) / 180), c * Math.sin((h * Math.PI) / 180)];
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ];
}

/** Steps in which the chroma of a colour outside of sRGB is reduced. */
const CHROMA_STEPS = 20;

/** The colour, with as much of its chroma as sRGB can show. */
export function fromOklch({ l, c, h }: Oklch): string {
  const isShown = (value: number) => value > -0.0005 && value < 1.0005;
  const steps = Array.from({ length: CHROMA_STEPS + 1 }, (_, step) => (c * (CHROMA_STEPS - step)) / CHROMA_STEPS);
  const shown = steps.map((chroma) => linearOf({ l, c: chroma, h })).find((channels) => channels.every(isShown));
  const channels = shown ?? linearOf({ l, c: 0, h });
  const hex = channels.map((value) =>
    Math.round(fromLinear(Math.min(1, Math.max(0, value))) * 255)
      .toString(16)
      .padStart(2, '0'),
  );
  return `#${hex.join('')}`;
}

/** Number of lightness steps that are tried from black to white: finer than an eye distinguishes. */
const LIGHTNESS_STEPS = 400;

/**
 * The colour of the same hue with the nearest lightness whose contrast to all backgrounds is at least `ratio`; the colour
 * itself if it passes. If none passes: black or white, whichever has the larger contrast.
 */
export function nearestPassing(color: string, backgrounds: readonly string[], ratio: number): string {
  const least = (candidate: string) => Math.min(...backgrounds.map((background) => contrast(candidate, background)));
  if (least(color) >= ratio) return color.toLowerCase();
  const { l, c, h } = toOklch(color);
  const steps = Array.from({ length: LIGHTNESS_STEPS + 1 }, (_, step) => step / LIGHTNESS_STEPS);
  const passing = steps
    .toSorted((one, other) => Math.abs(one - l) - Math.abs(other - l))
    .map((lightness) => fromOklch({ l: lightness, c, h }))
    .find((candidate) => least(candidate) >= ratio);
  return passing ?? (least('#000000') >= least('#ffffff') ? '#000000' : '#ffffff');
}

/** A mixture of two colours in OKLab. @param share of the second one, 0 to 1 */
export function mixed(one: string, other: string, share: number): string {
  const [from, to] = [toOklch(one), toOklch(other)];
  const at = (a: number, b: number) => a + (b - a) * share;
  const point = ({ c, h }: Oklch) => [c * Math.cos((h * Math.PI) / 180), c * Math.sin((h * Math.PI) / 180)] as const;
  const [[a, b], [x, y]] = [point(from), point(to)];
  const [p, q] = [at(a, x), at(b, y)];
  return fromOklch({ l: at(from.l, to.l), c: Math.hypot(p, q), h: (Math.atan2(q, p) * 180) / Math.PI });
}
