import type { Design } from '#server/core/site/design/design';
import { type ThemeName, withTheme } from '#server/core/site/design/themes';
import type { StarterKitName } from '#server/core/site/starter/starter-kits';

interface KitDesign {
  readonly theme: ThemeName;
  /** Colours that suit the picture of the kit. */
  readonly palette: Design['palette'];
}

const kitDesigns: Readonly<Record<StarterKitName, KitDesign>> = {
  studio: { theme: 'studio', palette: { brand: '#4a5d3a', ink: '#26302a', paper: '#f6f2e9' } },
  cafe: { theme: 'bistro', palette: { brand: '#7a3e1d', ink: '#2b1a12', paper: '#fcf4e9' } },
  consultant: { theme: 'office', palette: { brand: '#1f4b6e', ink: '#0f1b2d', paper: '#ffffff' } },
  club: { theme: 'club', palette: { brand: '#8a1f2d', ink: '#1f1518', paper: '#fffaf2' } },
  workshop: { theme: 'journal', palette: { brand: '#9a5b12', ink: '#241c14', paper: '#f8f2e4' } },
  shop: { theme: 'night', palette: { brand: '#2d5f73', ink: '#14262e', paper: '#f0f6f7' } },
};

/** The design with the look of a kit, and the site's own logo, icon and links in the footer. */
export function withKitDesign(design: Design, kit: StarterKitName): Design {
  const { theme, palette } = kitDesigns[kit];
  return { ...withTheme(design, theme), palette, appearance: 'auto' };
}
