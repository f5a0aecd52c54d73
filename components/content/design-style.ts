import type { CSSProperties } from 'react';
import { brandOf, shadesOf } from '#server/core/site/design/shades';
import { textOn } from '#server/core/site/design/colors';
import type { FontPair } from '#server/core/site/design/design-choices';
import { DEFAULT_DESIGN, type Design } from '#server/core/site/design/design';

/*
 * A design as CSS custom properties of the site's root element. They are the only way in which a design reaches the style
 * sheets (site-base.css, sections), in the published site, previews and exports. Apart from colours, what equals the default is
 * left out: the style sheet has it.
 */

/** Fonts of headings and of running text. Default: as in the style sheet. */
const FONTS: Readonly<Record<FontPair, Readonly<Record<string, string>>>> = {
  'newsreader-inter': {},
  'fraunces-source-sans': fonts(
    "'Fraunces Variable', Georgia, serif",
    "'Source Sans 3 Variable', system-ui, sans-serif",
  ),
  'playfair-source-sans': fonts(
    "'Playfair Display Variable', Georgia, serif",
    "'Source Sans 3 Variable', system-ui, sans-serif",
  ),
  'space-grotesk-inter': fonts(
    "'Space Grotesk Variable', system-ui, sans-serif",
    "'Inter Variable', system-ui, sans-serif",
    '600',
  ),
  'lora-dm-sans': fonts("'Lora Variable', Georgia, serif", "'DM Sans Variable', system-ui, sans-serif", '550'),
  'bricolage-dm-sans': fonts(
    "'Bricolage Grotesque Variable', system-ui, sans-serif",
    "'DM Sans Variable', system-ui, sans-serif",
    '700',
  ),
  'archivo-source-serif': fonts(
    "'Archivo Variable', system-ui, sans-serif",
    "'Source Serif 4 Variable', Georgia, serif",
    '700',
  ),
  manrope: fonts("'Manrope Variable', system-ui, sans-serif", "'Manrope Variable', system-ui, sans-serif", '700'),
};

function fonts(heading: string, text: string, weight?: string): Record<string, string> {
  return {
    '--site-heading': heading,
    '--site-text': text,
    '--site-prose': text,
    ...(weight !== undefined && { '--site-heading-weight': weight }),
  };
}

const SCALES = { small: '0.8', medium: null, large: '1.2' } as const;
const SPACINGS = { compact: '0.65', medium: null, airy: '1.35' } as const;
const WIDTHS = {
  narrow: { '--site-width': '60rem', '--site-measure': '40rem' },
  medium: {},
  wide: { '--site-width': '86rem', '--site-measure': '48rem' },
} as const;
/** Of buttons and pictures, and of cards. */
const CORNERS = {
  square: { '--site-radius': '0px', '--site-radius-large': '0px' },
  slight: {},
  round: { '--site-radius': '12px', '--site-radius-large': '22px' },
} as const;

/** The colours of a design. With `auto`, the style sheet chooses between two for each, by a media query. */
function paletteOf({ palette, appearance }: Design, accentColor: string): Record<string, string> {
  const shades = shadesOf({ ...palette, brand: brandOf(palette, accentColor) });
  const named = (name: string, colors: object) =>
    Object.fromEntries(Object.entries(colors).map(([color, value]) => [`--${name}-${color}`, String(value)]));
  return appearance === 'auto'
    ? { ...named('light', shades.light), ...named('dark', shades.dark) }
    : named('site', shades[appearance]);
}

/**
 * The custom properties of a design.
 * @param design null: the default
 * @param accentColor brand colour of a design that has none of its own
 */
export function designStyle(design: Design | null, accentColor: string): CSSProperties {
  const { fonts: pair, typeScale, spacing, width, corners } = design ?? DEFAULT_DESIGN;
  const [scale, space] = [SCALES[typeScale], SPACINGS[spacing]];
  return {
    // The style sheet has the other colours of sites without a design, and derives that of links.
    ...(design === null
      ? { '--site-accent': accentColor, '--site-accent-ink': textOn(accentColor) }
      : paletteOf(design, accentColor)),
    ...FONTS[pair],
    ...(scale !== null && { '--site-scale': scale }),
    ...(space !== null && { '--site-spacing': space }),
    ...WIDTHS[width],
    ...CORNERS[corners],
  } as CSSProperties;
}

/** The attributes of the site's root element by which the style sheet chooses header, footer, buttons and appearance. */
export function designAttributes(design: Design | null): Record<`data-${string}`, string | undefined> {
  if (design === null) return {};
  const { header, footer, button, appearance, sectionStyle } = design;
  const other = (value: string, usual: string) => (value === usual ? undefined : value);
  return {
    'data-design': '',
    'data-header': other(header.kind, 'row'),
    'data-sticky': header.isSticky ? '' : undefined,
    'data-footer': other(footer.kind, 'row'),
    'data-button': other(button, 'solid'),
    'data-appearance': other(appearance, 'auto'),
    'data-sections': other(sectionStyle, 'plain'),
  };
}
