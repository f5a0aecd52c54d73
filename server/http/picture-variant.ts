import { NotFoundError } from '#server/core/errors';
import { servedWidths, shownSize, variantAddress, variantOf } from '#server/core/pictures';
import type { Services } from '#server/services';

interface VariantAddress {
  readonly id: string;
  /** Of the picture's bytes. */
  readonly version: string;
  /** Width, part and format: `800-10-0-80-100.avif`. */
  readonly name: string;
}

/**
 * A picture of the site in one of its sizes: for everybody who may see the picture, and of a part of it, what something
 * published shows; else for who may see drafts. What is behind the address never changes, so that browsers keep it; where
 * it is not made yet, the answer leads to what is there.
 * @param maySeeDrafts asked where it is not for everybody
 * @param how `wait`: until it is made; `only look`: nothing is made, and the answer is empty. Default: what takes long comes later
 * @throws NotFoundError
 */
export async function showVariant(
  { content: { assets }, pictures }: Pick<Services, 'content' | 'pictures'>,
  { id, version, name }: VariantAddress,
  maySeeDrafts: () => Promise<boolean>,
  how: 'at once' | 'wait' | 'only look' = 'at once',
): Promise<Response> {
  const variant = variantOf(name);
  if (variant === null) throw new NotFoundError('picture', id);
  const asset = await assets.get(id, version);
  const isNow = asset.version === version && (await assets.get(id)).version === version;
  const { crop } = variant;
  const isPublic = isNow && (await assets.isPublished(id)) && (crop === null || (await assets.isPublished(id, crop)));
  const isShown = isPublic || ((!isNow || asset.deletedAt === null) && (await maySeeDrafts()));
  if (!isShown) throw new NotFoundError('picture', id);
  if (!servedWidths(shownSize(asset, crop).width).includes(variant.width)) throw new NotFoundError('picture', id);
  if (how === 'only look') return new Response(null, { headers: { 'content-type': `image/${variant.format}` } });
  const read = async () => (await assets.read(id, 'full', version)).data;
  const made = await pictures.get(asset, variant, read, how === 'wait');
  if (made === null) throw new NotFoundError('picture', id);
  if (made.kind !== 'made') {
    const location = made.kind === 'later' ? variantAddress(asset, made.instead) : asset.url;
    return new Response(null, { status: 302, headers: { location, 'cache-control': 'no-store' } });
  }
  return new Response(made.data.slice(), {
    headers: {
      'content-type': made.mediaType,
      'content-length': String(made.data.length),
      'content-disposition': 'inline',
      'cache-control':
        isPublic && asset.deletedAt === null ? 'public, max-age=31536000, immutable' : 'private, no-store',
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
    },
  });
}
