import { attachmentPath, type Blob, publicFileUrl } from '#server/core/files';
import type { Message } from '#server/core/messages';
import type { ModelMessage } from '#server/core/model-messages';
import { withPublicImages } from '#server/core/tool-result';
import { FILE_POLICY } from '#server/http/page-policy';

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
      'content-security-policy': FILE_POLICY,
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

/** A message for a model with addresses of files that clients can use. */
export function withModelFileUrls(message: ModelMessage): ModelMessage {
  if (message.role !== 'user' || !message.content.some(({ type }) => type === 'file')) return message;
  const content = message.content.map((part) =>
    part.type === 'file' ? { ...part, data: publicFileUrl(part.data) } : part,
  );
  return { ...message, content };
}
