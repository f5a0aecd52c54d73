// Plain numbers; copies of them could differ from what the server takes.
// oxlint-disable-next-line no-restricted-imports
import { MAX_IMAGE_BYTES, MAX_TEXT_BYTES } from '#server/core/attachment-limits';

const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const TEXT_NAME = /\.(txt|md|markdown|csv|tsv|json|xml|html?|svg|ya?ml|log|css|[jt]sx?)$/i;

/** For the file dialog; what else is text shows when it is read. */
export const ACCEPTED_FILES = [...IMAGE_TYPES, 'text/*', 'application/json', '.md', '.csv'].join(',');

export type AttachmentKind = 'image' | 'text';
export type AttachmentProblem = 'unsupported' | 'imageTooLarge' | 'textTooLarge' | 'empty';

/** What a file is attached as, or why it cannot be. The server looks for itself; this is to say so early. */
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
