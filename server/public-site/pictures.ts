import sharp from 'sharp';
import type { ContentBackend } from '#server/content/content-backend';
import { linkedAsset } from '#server/content/entry-links';
import type { PictureVariants } from '#server/media/picture-variants';
import type { Asset } from '#server/core/content';
import { NotFoundError } from '#server/core/errors';
import { servedWidths, shownSize, variantOf } from '#server/core/pictures';
import { FILE_POLICY } from '#server/http/page-policy';
import { isKnown } from '#server/public-site/kept-answers';

interface VariantAddress {
  readonly id: string;
  /** Version of its bytes. */
  readonly version: string;
  /** Width, part and format: `800-10-0-80-100.avif`. */
  readonly name: string;
}

/**
 * A picture of the site in one of its sizes: for everybody who may see the picture, and of a part of it, what something
 * published shows; else for who may see drafts. What is behind the address never changes, so that browsers keep it; while
 * it is being made, the answer is the same picture in the other format, which nobody keeps.
 * @param maySeeDrafts asked where it is not for everybody
 * @param how `wait`: until it is made; `only look`: nothing is made, and the answer is empty. Default: what takes long comes later
 * @throws NotFoundError
 */
export async function showVariant(
  { content: { assets }, pictures }: { content: Pick<ContentBackend, 'assets'>; pictures: PictureVariants },
  { id, version, name }: VariantAddress,
  maySeeDrafts: () => Promise<boolean>,
  how: 'at once' | 'wait' | 'only look' = 'at once',
): Promise<Response> {
  const variant = variantOf(name);
  if (variant === null) throw new NotFoundError('picture', id);
  const present = await assets.get(id);
  const isNow = present.version === version;
  const asset = isNow ? present : await assets.get(id, version);
  const { crop } = variant;
  const isPublic = isNow && (await assets.isPublished(id, crop));
  const isShown = isPublic || ((!isNow || asset.deletedAt === null) && (await maySeeDrafts()));
  if (!isShown) throw new NotFoundError('picture', id);
  if (!servedWidths(shownSize(asset, crop).width).includes(variant.width)) throw new NotFoundError('picture', id);
  if (how === 'only look') return new Response(null, { headers: { 'content-type': `image/${variant.format}` } });
  const read = async () => (await assets.read(id, 'full', version)).data;
  const made = await pictures.get(asset, variant, read, how === 'wait');
  if (made === null) throw new NotFoundError('picture', id);
  const shown = made.kind === 'later' ? await pictures.get(asset, made.instead, read) : made;
  if (shown?.kind !== 'made')
    return new Response(null, { status: 302, headers: { location: asset.url, 'cache-control': 'no-store' } });
  const mayKeep = shown === made && isPublic && asset.deletedAt === null;
  return new Response(shown.data.slice(), {
    headers: {
      'content-type': shown.mediaType,
      'content-length': String(shown.data.length),
      'content-disposition': 'inline',
      'cache-control': mayKeep ? 'public, max-age=31536000, immutable' : 'private, no-store',
      'content-security-policy': FILE_POLICY,
      'x-content-type-options': 'nosniff',
    },
  });
}

type Size = 'full' | 'thumb';

interface Shown {
  readonly size: Size;
  /** Version of its bytes; default: those of now. */
  readonly version?: string | undefined;
  /** Visitors may see it. */
  readonly isPublic: boolean;
}

/**
 * The bytes of a picture for a browser, or 304 where it has them. Its address outlives them (a picture can be
 * replaced), so a browser asks each time whether they are still the same; one that is not public is kept nowhere. Nothing
 * in it may run, whatever it is opened as.
 */
export async function pictureResponse(
  assets: ContentBackend['assets'],
  asset: Asset,
  { size, version, isPublic }: Shown,
  request: Request,
): Promise<Response> {
  const headers = {
    etag: `"${asset.version}${size === 'thumb' ? '-thumb' : ''}"`,
    'cache-control': isPublic ? `${asset.deletedAt === null ? 'public' : 'private'}, no-cache` : 'private, no-store',
    'content-security-policy': FILE_POLICY,
    'x-content-type-options': 'nosniff',
  };
  if (isKnown(request.headers.get('if-none-match'), headers.etag)) return new Response(null, { status: 304, headers });
  const { mediaType, data } = await assets.read(asset.id, size, version);
  return new Response(data.slice(), {
    headers: {
      ...headers,
      'content-type': mediaType,
      'content-length': String(data.length),
      'content-disposition': 'inline',
    },
  });
}

interface PictureAddress {
  readonly id: string;
  /** The last part of its address. */
  readonly filename: string;
  readonly size: Size;
  readonly version?: string | undefined;
}

/**
 * A picture of the site: for everybody as long as something published shows it, also from the trash; one of drafts and
 * of the library, and the bytes that one had before, for who may see those.
 * @param maySeeDrafts asked where the picture is not for everybody
 * @throws NotFoundError
 */
export async function showPicture(
  { assets }: Pick<ContentBackend, 'assets'>,
  { id, filename, size, version }: PictureAddress,
  request: Request,
  maySeeDrafts: () => Promise<boolean>,
): Promise<Response> {
  const asset = await assets.get(id, version);
  if (!(await assets.isServedAs(id, filename))) throw new NotFoundError('picture', id);
  const isFormer = version !== undefined;
  const isPublic = !isFormer && (await assets.isPublished(id));
  const isShown = isPublic || ((isFormer || asset.deletedAt === null) && (await maySeeDrafts()));
  if (!isShown) throw new NotFoundError('picture', id);
  return pictureResponse(assets, asset, { size, version, isPublic }, request);
}

/** Pixels of a side, as phones and search engines ask for. */
const ICON_SIDE = 192;

/** The icon of the site, from the picture that its settings name, else a ring in its colour. PNG. */
export async function siteIcon(content: Pick<ContentBackend, 'settings' | 'assets'>): Promise<Uint8Array> {
  const { icon, accentColor } = await content.settings();
  const id = linkedAsset(icon);
  const chosen = id === null ? null : await content.assets.read(id, 'full').catch(() => null);
  if (chosen)
    return sharp(chosen.data).resize(ICON_SIDE, ICON_SIDE, { fit: 'contain', background: '#0000' }).png().toBuffer();
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${accentColor}"/><circle cx="16" cy="16" r="7.5" fill="none" stroke="#fff" stroke-width="3"/></svg>`;
  return sharp(Buffer.from(svg)).resize(ICON_SIDE, ICON_SIDE).png().toBuffer();
}
