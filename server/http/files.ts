import type { Asset } from '#server/core/content';
import { NotFoundError } from '#server/core/errors';
import { attachmentPath, type Blob, publicFileUrl } from '#server/core/files';
import type { Message } from '#server/core/messages';
import type { ModelMessage } from '#server/core/model-messages';
import { withPublicImages } from '#server/core/tool-result';
import type { Services } from '#server/services';

/** An attachment as the REST contract shows it. */
export function attachmentItem({ id, mediaType, filename, size, width, height }: Blob) {
  return {
    id,
    url: attachmentPath(id),
    mediaType,
    filename,
    size,
    ...(width !== null && height !== null && { width, height }),
  };
}

/**
 * The bytes for a browser. Images are shown; all text, markup above all, is plain text to be saved. What an id stands for
 * never changes.
 */
export function attachmentResponse({ mediaType, filename }: Blob, data: Uint8Array): Response {
  const isImage = mediaType.startsWith('image/');
  const name = encodeURIComponent(filename).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return new Response(data.slice(), {
    headers: {
      'content-type': isImage ? mediaType : 'text/plain; charset=utf-8',
      'content-disposition': `${isImage ? 'inline' : 'attachment'}; filename*=UTF-8''${name}`,
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, max-age=31536000, immutable',
      // A browser shows it from its cache to whom it was given, and to nobody who signs in there later.
      vary: 'cookie, authorization',
    },
  });
}

/** A stored message with addresses of files that clients can use. */
export function withFileUrls(message: Message): Message {
  if (!message.parts.some(({ type }) => type === 'file' || type === 'tool-result')) return message;
  const parts = message.parts.map((part) => {
    if (part.type === 'file') return { ...part, content: { ...part.content, url: publicFileUrl(part.content.url) } };
    if (part.type !== 'tool-result') return part;
    return { ...part, content: { ...part.content, output: withPublicImages(part.content.output) } };
  });
  return { ...message, parts };
}

/** The same for what a model is sent. */
export function withModelFileUrls(message: ModelMessage): ModelMessage {
  if (message.role !== 'user' || !message.content.some(({ type }) => type === 'file')) return message;
  const content = message.content.map((part) =>
    part.type === 'file' ? { ...part, data: publicFileUrl(part.data) } : part,
  );
  return { ...message, content };
}

type Size = 'full' | 'thumb';

interface Shown {
  readonly size: Size;
  /** Version of its bytes; default: those of now. */
  readonly version?: string | undefined;
  /** Visitors may see it. */
  readonly isPublic: boolean;
}

/** Tells whether a header names this version, as browsers repeat it. */
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
  { size, version, isPublic }: Shown,
  request: Request,
): Promise<Response> {
  const headers = {
    etag: `"${asset.version}${size === 'thumb' ? '-thumb' : ''}"`,
    'cache-control': isPublic ? `${asset.deletedAt === null ? 'public' : 'private'}, no-cache` : 'private, no-store',
    'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
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
  { assets }: Pick<Services['content'], 'assets'>,
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
