import type { ContentBackend } from '#server/site/content-backend';
import type { PictureVariants } from '#server/site/media/picture-variants';
import type { Asset } from '#server/core/site/content';
import { NotFoundError } from '#server/core/errors';
import { servedWidths, shownSize, variantOf } from '#server/core/site/pictures';
import { matchesEtag } from '#server/site/public/cached-response';
import { FILE_POLICY } from '#server/http/security-headers';

/* Responses with pictures of the media library, for the public site and the API. */

/** The parts of the address of a picture in one of its sizes. */
interface VariantAddress {
  readonly id: string;
  /** Version of its bytes. */
  readonly version: string;
  /** Width, crop and format: `800-10-0-80-100.avif`. */
  readonly name: string;
}

/**
 * A picture of the site in one of its sizes. Everyone may see a public picture, or a crop of it that published content
 * shows; other pictures require the right to see drafts. The content of an address never changes, so browsers cache it.
 * While the variant is being created, the response is the same picture in the other format, which is not cached.
 * @param maySeeDrafts called if the picture is not public
 * @param how `wait`: waits until the variant is created; `headers only`: creates nothing and responds without a body (for
 * HEAD). Default `at once`: variants that take long are created in the background
 * @throws NotFoundError
 */
export async function showVariant(
  { content: { assets }, pictures }: { content: ContentBackend; pictures: PictureVariants },
  { id, version, name }: VariantAddress,
  maySeeDrafts: () => Promise<boolean>,
  how: 'at once' | 'wait' | 'headers only' = 'at once',
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
  if (how === 'headers only') return new Response(null, { headers: { 'content-type': `image/${variant.format}` } });
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

/** Which bytes of a picture to send, and to whom they may be visible. */
interface PictureView {
  readonly size: Size;
  /** Version of its bytes; default: the current one. */
  readonly version?: string | undefined;
  /** Visitors may see it. */
  readonly isPublic: boolean;
}

/**
 * The response with the bytes of a picture, or 304 if the browser has them. A picture can be replaced at the same address,
 * so browsers must revalidate it each time; a picture that is not public is not cached. The policy forbids scripts, in
 * case the file is opened as a document.
 */
export async function pictureResponse(
  assets: ContentBackend['assets'],
  asset: Asset,
  { size, version, isPublic }: PictureView,
  request: Request,
): Promise<Response> {
  const headers = {
    etag: `"${asset.version}${size === 'thumb' ? '-thumb' : ''}"`,
    'cache-control': isPublic ? `${asset.deletedAt === null ? 'public' : 'private'}, no-cache` : 'private, no-store',
    'content-security-policy': FILE_POLICY,
    'x-content-type-options': 'nosniff',
  };
  if (matchesEtag(request.headers.get('if-none-match'), headers.etag))
    return new Response(null, { status: 304, headers });
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

export interface PictureAddress {
  readonly id: string;
  /** The last part of its address. */
  readonly filename: string;
  readonly size: Size;
  readonly version?: string | undefined;
}

/**
 * A picture of the site. Everyone may see it while published content shows it, also if it is in the trash. Pictures of
 * drafts and of the library, and former bytes of a picture, require the right to see those.
 * @param maySeeDrafts called if the picture is not public
 * @throws NotFoundError
 */
export async function showPicture(
  { assets }: ContentBackend,
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
