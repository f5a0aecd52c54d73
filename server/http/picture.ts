import type { Asset } from '#server/core/content';
import type { Services } from '#server/services';

type Size = 'full' | 'thumb';

interface Shown {
  readonly size: Size;
  /** Visitors may see it. */
  readonly isPublic: boolean;
}

/** Whether a header names this version, as browsers repeat what they were told. */
function isKnown(header: string | null, etag: string): boolean {
  const names = (header ?? '').split(',').map((name) => name.trim().replace(/^W\//, ''));
  return names.includes('*') || names.includes(etag);
}

/**
 * The bytes of a picture for a browser, or 304 where it has them. Its address outlives them (a picture can be
 * replaced), so a browser asks each time whether they are still the same; one that is not public is kept nowhere. Nothing
 * in it may run, whatever it is opened as.
 */
export async function pictureResponse(
  assets: Services['content']['assets'],
  asset: Asset,
  { size, isPublic }: Shown,
  request: Request,
): Promise<Response> {
  const headers = {
    etag: `"${asset.version}${size === 'thumb' ? '-thumb' : ''}"`,
    'cache-control': isPublic ? `${asset.deletedAt === null ? 'public' : 'private'}, no-cache` : 'private, no-store',
    'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
  };
  if (isKnown(request.headers.get('if-none-match'), headers.etag)) return new Response(null, { status: 304, headers });
  const { mediaType, data } = await assets.read(asset.id, size);
  return new Response(data.slice(), {
    headers: {
      ...headers,
      'content-type': mediaType,
      'content-length': String(data.length),
      'content-disposition': 'inline',
    },
  });
}
