import { InvalidInputError, TooLargeError } from '#server/core/errors';

/**
 * The request's JSON body.
 * @param limit bytes; counted while reading, whatever the Content-Length header says
 * @throws TooLargeError, InvalidInputError (not JSON, or text that no database stores and no model reads)
 */
export async function readJson(request: Request, limit: number): Promise<unknown> {
  const text = await readText(request, limit);
  try {
    return JSON.parse(text, (_key, value: unknown) => (typeof value === 'string' ? checkText(value) : value));
  } catch (error) {
    if (error instanceof InvalidInputError) throw error;
    throw new InvalidInputError('The body is not valid JSON.');
  }
}

async function readText(request: Request, limit: number): Promise<string> {
  if (!request.body) return '';
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let size = 0;
  try {
    for await (const chunk of request.body) {
      size += chunk.byteLength;
      if (size > limit) throw new TooLargeError('The body', limit, 'bytes');
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw new InvalidInputError('The body is not valid UTF-8.');
    throw error;
  }
}

function checkText(text: string): string {
  if (!text.isWellFormed() || text.includes('\0')) {
    throw new InvalidInputError('The body has broken text: a NUL character or half of a surrogate pair.');
  }
  return text;
}
