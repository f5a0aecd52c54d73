import sharp from 'sharp';
import type { ContentBackend } from '#server/site/content-backend';
import { linkedAsset } from '#server/site/entry-links';
import { withDecoder } from '#server/site/media/decoding';

/** Side length in pixels that phones and search engines request. */
const ICON_SIDE = 192;

/** The icon of the site as PNG: the picture that its settings name, otherwise a ring in its colour. */
export async function siteIcon(content: ContentBackend): Promise<Uint8Array> {
  const { icon, accentColor } = await content.settings();
  const color = (await content.design()).published?.palette.brand || accentColor;
  const id = linkedAsset(icon);
  const chosen = id === null ? null : await content.assets.read(id, 'full').catch(() => null);
  if (chosen)
    return withDecoder(() =>
      sharp(chosen.data).resize(ICON_SIDE, ICON_SIDE, { fit: 'contain', background: '#0000' }).png().toBuffer(),
    );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${color}"/><circle cx="16" cy="16" r="7.5" fill="none" stroke="#fff" stroke-width="3"/></svg>`;
  return sharp(Buffer.from(svg)).resize(ICON_SIDE, ICON_SIDE).png().toBuffer();
}
