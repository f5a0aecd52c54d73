import { InvalidInputError, ThroughlineError, TooLargeError } from '#server/core/errors';
import { jsonProblem } from '#server/core/json-problem';

/** How much of a body above its limit is still taken in, so that its sender gets to read the answer; bytes. */
const MAX_DISCARDED = 64_000_000;

/**
 * The request's JSON body; undefined when there is none.
 * @param limit bytes; counted while reading, whatever the Content-Length header says
 * @throws TooLargeError, InvalidInputError (not JSON, or JSON that could not be kept as it is)
 */
export async function readJson(request: Request, limit: number): Promise<unknown> {
  const text = await readText(request, limit);
  if (text === '') return undefined;
  const value = parseJson(text);
  const problem = jsonProblem(value);
  if (problem !== null) throw new InvalidInputError(`The body ${problem}.`);
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidInputError('The body is not valid JSON.');
  }
}

async function readText({ body }: Request, limit: number): Promise<string> {
  if (!body) return '';
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = body.getReader();
  let text = '';
  let size = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      size += next.value.byteLength;
      if (size > limit) throw new TooLargeError('The body', limit, 'bytes');
      text += decoder.decode(next.value, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    void discard(reader);
    if (error instanceof ThroughlineError) throw error;
    if (error instanceof TypeError) throw new InvalidInputError('The body is not valid UTF-8.');
    throw new InvalidInputError('The body did not arrive to its end.', { cause: error });
  }
}

/** Reads on and keeps nothing: a connection whose body nobody reads is stuck, and the answer with it. */
async function discard(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    let size = 0;
    for (let next = await reader.read(); !next.done && size < MAX_DISCARDED; next = await reader.read()) {
      size += next.value.byteLength;
    }
    await reader.cancel();
  } catch {
    // The sender is gone, which is as good.
  }
}
