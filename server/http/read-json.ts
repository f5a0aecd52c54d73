import { InvalidInputError, ThroughlineError, TooLargeError } from '#server/core/errors';
import { checkJson } from '#server/http/check-json';

/**
 * The request's JSON body; undefined when there is none.
 * @param limit bytes; counted while reading, whatever the Content-Length header says
 * @throws TooLargeError, InvalidInputError (not JSON, or JSON that could not be kept as it is)
 */
export async function readJson(request: Request, limit: number): Promise<unknown> {
  const text = await readText(request, limit);
  if (text === '') return undefined;
  const value = parseJson(text);
  checkJson(value);
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
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
    if (error instanceof ThroughlineError) throw error;
    if (error instanceof TypeError) throw new InvalidInputError('The body is not valid UTF-8.');
    throw new InvalidInputError('The body did not arrive to its end.', { cause: error });
  }
}
