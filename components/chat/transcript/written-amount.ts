import { translator } from '#components/i18n.ts';
import { textField, type ToolCall } from '#components/chat/parts/tool-call.ts';
import { shortTitle } from '#server/core/text/short-text';

const t = translator('tools');

/** Characters of scripts without spaces between words, in which readers count characters. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/gu;
/** Words of all other scripts, with apostrophes and hyphens inside. */
const SPACED = /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu;
/** Below this amount, an input is complete before a reader could use the figure. A choice, not measured. */
const SHORTEST = 30;
/** Figures are rounded down to this, so that they can be read while they grow. A choice, not measured. */
const STEP = 10;

/** The length of a text in the unit in which its readers count. */
interface Amount {
  readonly count: number;
  readonly unit: 'words' | 'characters';
}

/** Length of all texts in a value, such as the input of a tool, together. Names of fields do not count. */
export function amountIn(value: unknown): Amount {
  const text = textsIn(value).join('\n');
  const characters = text.match(UNSPACED)?.length ?? 0;
  const words = text.replaceAll(UNSPACED, ' ').match(SPACED)?.length ?? 0;
  return characters > words
    ? { count: characters + words, unit: 'characters' }
    : { count: words + characters, unit: 'words' };
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** What a model is writing into the input of a call, and how much so far; null if the input is short or complete. */
export function writtenSoFar({ input, isWriting }: Pick<ToolCall, 'input' | 'isWriting'>): string | null {
  if (!isWriting) return null;
  const { count, unit } = amountIn(input);
  if (count < SHORTEST) return null;
  const subject = textField(input, 'title', 'ref');
  const rounded = count - (count % STEP);
  return t('writing', {
    hasTitle: String(subject !== undefined),
    title: shortTitle(subject ?? ''),
    length: t(unit, { count: rounded }),
  });
}
