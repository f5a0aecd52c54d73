import { createBreathing } from '#server/core/breathe';
import { InvalidInputError } from '#server/core/errors';
import { jsonProblem } from '#server/core/json-problem';
import { readBytes } from '#server/http/read-bytes';

/**
 * The request's JSON body; undefined when there is none.
 * @param limit bytes; counted while reading, whatever the Content-Length header says
 * @throws TooLargeError, InvalidInputError (not JSON, or JSON that could not be kept as it is)
 */
export async function readJson(request: Request, limit: number): Promise<unknown> {
  const text = await readText(request, limit);
  if (text === '') return undefined;
  const breathe = createBreathing();
  const value = parseJson(text);
  await breathe();
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

async function readText(request: Request, limit: number): Promise<string> {
  const bytes = await readBytes(request, limit);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new InvalidInputError('The body is not valid UTF-8.');
  }
}
