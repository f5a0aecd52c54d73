import { attachmentPath, type Blob, publicFileUrl } from '#server/core/conversation/part-types/blobs';
import type { Message } from '#server/core/conversation/messages';
import type { ModelMessage } from '#server/core/conversation/model-messages';
import { withPublicImages } from '#server/core/conversation/part-types/tool-output';
import { FILE_POLICY } from '#server/http/security-headers';

/** An attachment in the format of the REST contract. */
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
 * A response with the bytes of an attachment. Browsers display images, and save everything else as plain text, so that no
 * markup of a user runs as a page of this server. Browsers may cache it for
 * a year: the content of an id never changes.
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
      // A browser may show the file from its cache to the same user, but not to another user who signs in there later.
      vary: 'cookie, authorization',
    },
  });
}

/** A stored message, with the internal addresses of files replaced by those of the REST API. */
export function withFileUrls(message: Message): Message {
  if (!message.parts.some(({ type }) => type === 'file' || type === 'tool-result')) return message;
  const parts = message.parts.map((part) => {
    if (part.type === 'file') return { ...part, content: { ...part.content, url: publicFileUrl(part.content.url) } };
    if (part.type !== 'tool-result') return part;
    return { ...part, content: { ...part.content, output: withPublicImages(part.content.output) } };
  });
  return { ...message, parts };
}

/** A message for a model, with the internal addresses of files replaced by those of the REST API. */
export function withModelFileUrls(message: ModelMessage): ModelMessage {
  if (message.role !== 'user' || !message.content.some(({ type }) => type === 'file')) return message;
  const content = message.content.map((part) =>
    part.type === 'file' ? { ...part, data: publicFileUrl(part.data) } : part,
  );
  return { ...message, content };
}
