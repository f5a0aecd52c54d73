import { z } from 'zod';
import { NotFoundError } from '#server/core/errors';
import { type RichPart, richResult } from '#server/core/tool-result';
import { type HistoryImage, type SessionFiles, defineTool } from '#server/tools/tool';

/** Characters of one page; small enough that recalling does not itself overflow a 16k window. */
const PAGE_LENGTH = 8_000;

/**
 * Pages through something stored that the view no longer shows whole: a cleared tool output, a cut tool input, a
 * message found by search_history.
 */
export const recallOutput = defineTool({
  name: 'recall_output',
  isForEverybody: true,
  description: 'Read in full what was cleared, cut or found in this conversation, or see its images again.',
  maxOutputChars: 20_000,
  input: z.object({
    id: z.string().min(1).max(200).describe('prt_...'),
    offset: z.int().min(0).optional().describe('character'),
  }),
  async execute({ id, offset = 0 }, { history, files }) {
    const whole = await history.readPart(id);
    const images = offset === 0 ? await history.imagesOf(id) : [];
    if (whole === null && images.length === 0) throw new NotFoundError('recallable part', id);
    const page = whole === null ? { id } : pageOf(id, whole, offset);
    const shown = await Promise.all(images.map((image) => seenAgain(image, files)));
    return images.length === 0 ? page : richResult(shown, { structured: page });
  },
});

function pageOf(id: string, whole: string, offset: number) {
  const text = pageAt(whole, offset);
  const next = offset + text.length;
  return { id, text, totalChars: whole.length, ...(next < whole.length ? { nextOffset: next } : {}) };
}

async function seenAgain({ fileId, ...image }: HistoryImage, files: SessionFiles): Promise<RichPart> {
  const data = await files.read(fileId);
  return data
    ? { type: 'image', data, ...image }
    : { type: 'text', text: `The image ${image.filename} cannot be read any more.` };
}

/** A page that does not end inside a surrogate pair. */
function pageAt(whole: string, offset: number): string {
  const end = offset + PAGE_LENGTH;
  const splitsPair = /[\uD800-\uDBFF]/.test(whole.charAt(end - 1)) && /[\uDC00-\uDFFF]/.test(whole.charAt(end));
  return whole.slice(offset, splitsPair ? end - 1 : end);
}
