import sharp from 'sharp';
import type { ContentBackend } from '#server/site/content-backend';
import { linkedAsset } from '#server/site/entry-links';
import { withDecoder } from '#server/site/media/decoding';
import { brandOf } from '#server/core/site/design/shades';
import { siteIcons } from '#server/core/site/design/site-icons';

/** The address of the icon that phones show on their home screen. */
const TOUCH_ICON = '/favicon-180.png';

/** The icon of the site at an address, as PNG; null: the address is none of an icon. */
export async function siteIcon(content: ContentBackend, path: string): Promise<Uint8Array | null> {
  const side = siteIcons[path];
  return side === undefined ? null : drawIcon(content, side, path === TOUCH_ICON);
}

/**
 * The picture that the design or the settings name, otherwise a ring in the colour of the site.
 * @param isOpaque true: without transparent areas, which phones fill with black
 */
async function drawIcon(content: ContentBackend, side: number, isOpaque: boolean): Promise<Uint8Array> {
  const [{ icon, accentColor }, { published }] = await Promise.all([content.settings(), content.design()]);
  const id = linkedAsset(published?.icon || icon);
  const chosen = id === null ? null : await content.assets.read(id, 'full').catch(() => null);
  if (chosen)
    return withDecoder(async () => {
      const background = isOpaque ? (published?.palette.paper ?? '#ffffff') : '#0000';
      const drawn = sharp(chosen.data).resize(side, side, { fit: 'contain', background });
      return (isOpaque ? drawn.flatten({ background }) : drawn).png().toBuffer();
    });
  const color = published === null ? accentColor : brandOf(published.palette, accentColor);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${color}"/><circle cx="16" cy="16" r="7.5" fill="none" stroke="#fff" stroke-width="3"/></svg>`;
  return sharp(Buffer.from(svg)).resize(side, side).png().toBuffer();
}
