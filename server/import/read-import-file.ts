import { InvalidInputError } from '#server/core/errors';
import { planJson } from '#server/import/json/plan-json';
import type { ImportPlan } from '#server/import/plan';

/**
 * What a file says is to be: an export of WordPress (XML) or of ours (JSON).
 * @param now epoch milliseconds
 * @throws InvalidInputError where it is neither, or broken
 */
export async function readImportFile(data: Uint8Array, now: number): Promise<ImportPlan> {
  const text = textOf(data);
  const [first] = text.trimStart();
  if (first === '<') {
    // The XML parser is loaded when there is something to parse.
    const { planWxr } = await import('#server/import/wxr/plan-wxr');
    return planWxr(text, now);
  }
  if (first === '{') return planJson(text, now);
  throw new InvalidInputError('This is neither an export file of WordPress (XML) nor one of ours (JSON).');
}

function textOf(data: Uint8Array): string {
  if (data.byteLength === 0) throw new InvalidInputError('The file is empty.');
  const [first, second] = data;
  const isPacked = (first === 0x50 && second === 0x4b) || (first === 0x1f && second === 0x8b);
  if (isPacked)
    throw new InvalidInputError('This file is packed (ZIP or GZIP). Unpack it and send the XML or JSON in it.');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data);
  } catch (cause) {
    throw new InvalidInputError('This file is not text in UTF-8.', { cause });
  }
}
