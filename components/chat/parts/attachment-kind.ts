import { MAX_IMAGE_BYTES, MAX_TEXT_BYTES } from '#server/core/limits';

const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const TEXT_NAME = /\.(txt|md|markdown|csv|tsv|json|xml|html?|svg|ya?ml|log|css|[jt]sx?)$/i;

/** Accepted types of the file dialog; other text files are recognized by their content. */
export const ACCEPTED_FILES = [...IMAGE_TYPES, 'text/*', 'application/json', '.md', '.csv'].join(',');

/** Kinds of files that can be attached to a message; each has its own size limit. */
export type AttachmentKind = 'image' | 'text';
type AttachmentProblem = 'unsupported' | 'imageTooLarge' | 'textTooLarge' | 'empty';

/**
 * Kind of attachment for a file, or why it cannot be attached. The server checks again; this check reports problems
 * early.
 */
export async function attachmentKind(
  file: Blob & { readonly name: string },
): Promise<{ readonly kind: AttachmentKind } | { readonly problem: AttachmentProblem }> {
  if (file.size === 0) return { problem: 'empty' };
  if (IMAGE_TYPES.has(file.type)) return file.size > MAX_IMAGE_BYTES ? { problem: 'imageTooLarge' } : { kind: 'image' };
  if (file.size > MAX_TEXT_BYTES) return { problem: isNamedText(file) ? 'textTooLarge' : 'unsupported' };
  return (await isText(file)) ? { kind: 'text' } : { problem: 'unsupported' };
}

function isNamedText({ type, name }: { readonly type: string; readonly name: string }): boolean {
  return type.startsWith('text/') || TEXT_NAME.test(name);
}

async function isText(file: Blob): Promise<boolean> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    return !text.includes('\0') && !text.startsWith('%PDF-');
  } catch {
    return false;
  }
}
