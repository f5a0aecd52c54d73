import type { Design } from '#server/core/site/design/design';

/* Complete designs to start from. They leave the logo, the icon and the links in the footer as they are. */

export const themeNames = ['journal', 'studio', 'bistro', 'office', 'club', 'night'] as const;
export type ThemeName = (typeof themeNames)[number];

/** A design without what is the site's own: its logo, its icon and the columns of its footer. */
type Theme = Omit<Design, 'logo' | 'icon' | 'footer'> & { readonly footer: Design['footer']['kind'] };

export const themes: Readonly<Record<ThemeName, Theme>> = {
  journal: {
    palette: { brand: '#8a3b1f', ink: '#211d19', paper: '#fbf8f3' },
    fonts: 'newsreader-inter',
    typeScale: 'medium',
    corners: 'slight',
    spacing: 'medium',
    width: 'medium',
    sectionStyle: 'ruled',
    header: { kind: 'row', isSticky: false, phoneMenu: 'button' },
    footer: 'row',
    button: 'solid',
    appearance: 'auto',
  },
  studio: {
    palette: { brand: '#4f6f52', ink: '#26302a', paper: '#f4f1ea' },
    fonts: 'fraunces-source-sans',
    typeScale: 'medium',
    corners: 'round',
    spacing: 'airy',
    width: 'narrow',
    sectionStyle: 'tinted',
    header: { kind: 'centered', isSticky: false, phoneMenu: 'button' },
    footer: 'centered',
    button: 'pill',
    appearance: 'auto',
  },
  bistro: {
    palette: { brand: '#8c1c2b', ink: '#2a1a17', paper: '#fdf6ec' },
    fonts: 'playfair-source-sans',
    typeScale: 'large',
    corners: 'square',
    spacing: 'medium',
    width: 'medium',
    sectionStyle: 'plain',
    header: { kind: 'band', isSticky: true, phoneMenu: 'button' },
    footer: 'band',
    button: 'outline',
    appearance: 'auto',
  },
  office: {
    palette: { brand: '#1d4ed8', ink: '#0f1b33', paper: '#ffffff' },
    fonts: 'space-grotesk-inter',
    typeScale: 'small',
    corners: 'slight',
    spacing: 'compact',
    width: 'wide',
    sectionStyle: 'ruled',
    header: { kind: 'row', isSticky: true, phoneMenu: 'button' },
    footer: 'band',
    button: 'solid',
    appearance: 'auto',
  },
  club: {
    palette: { brand: '#c2410c', ink: '#1b1b1f', paper: '#fff9f0' },
    fonts: 'bricolage-dm-sans',
    typeScale: 'large',
    corners: 'round',
    spacing: 'compact',
    width: 'wide',
    sectionStyle: 'tinted',
    header: { kind: 'band', isSticky: false, phoneMenu: 'button' },
    footer: 'centered',
    button: 'pill',
    appearance: 'auto',
  },
  night: {
    palette: { brand: '#e0b15a', ink: '#f1ece2', paper: '#14171c' },
    fonts: 'manrope',
    typeScale: 'medium',
    corners: 'square',
    spacing: 'airy',
    width: 'medium',
    sectionStyle: 'plain',
    header: { kind: 'centered', isSticky: true, phoneMenu: 'button' },
    footer: 'row',
    button: 'outline',
    appearance: 'dark',
  },
};

/** A design with the look of a theme, and the site's own logo, icon and links in the footer. */
export function withTheme({ logo, icon, footer }: Design, name: ThemeName): Design {
  const { footer: kind, ...theme } = themes[name];
  return { ...theme, logo, icon, footer: { ...footer, kind } };
}
