/* The values that parts of a design can have. The browser reads them without zod. */

/** Pairs of fonts for headings and for text. Their files are listed in components/content/fonts. */
export const fontPairs = [
  'newsreader-inter',
  'fraunces-source-sans',
  'playfair-source-sans',
  'space-grotesk-inter',
  'lora-dm-sans',
  'bricolage-dm-sans',
  'archivo-source-serif',
  'manrope',
] as const;
export type FontPair = (typeof fontPairs)[number];

export const typeScales = ['small', 'medium', 'large'] as const;
export const cornerKinds = ['square', 'slight', 'round'] as const;
export const spacings = ['compact', 'medium', 'airy'] as const;
export const sectionStyles = ['plain', 'tinted', 'ruled'] as const;
export const siteWidths = ['narrow', 'medium', 'wide'] as const;
export const headerKinds = ['row', 'centered', 'band'] as const;
export const phoneMenus = ['row', 'button'] as const;
export const footerKinds = ['row', 'centered', 'band'] as const;
export const buttonKinds = ['solid', 'outline', 'pill'] as const;
export const appearances = ['light', 'dark', 'auto'] as const;

/** Parts of a design that are one of several values, with these values. */
export const designChoices = {
  fonts: fontPairs,
  typeScale: typeScales,
  corners: cornerKinds,
  spacing: spacings,
  width: siteWidths,
  sectionStyle: sectionStyles,
  button: buttonKinds,
  appearance: appearances,
} as const;
export type DesignChoice = keyof typeof designChoices;
