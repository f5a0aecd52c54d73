import { normalized } from '#server/models/offline/names';

const ORDINAL_WORDS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'];

/** The option that an answer chooses, by its text, its number or words that only it has; null where none is meant. */
export function pickOption(options: readonly string[], answer: string): string | null {
  const said = normalized(answer);
  if (said === '') return null;
  const exact = options.find((option) => normalized(option) === said);
  if (exact !== undefined) return exact;
  const number = /^(?:the |option |number )?(?:(\d)|(\w+?))(?: one| option)?$/.exec(said);
  const index = number?.[1] === undefined ? ORDINAL_WORDS.indexOf(number?.[2] ?? '') : Number(number[1]) - 1;
  if (options[index] !== undefined) return options[index];
  const words = said.split(' ').filter((word) => !FILLER.has(word));
  const fitting = options.filter((option) => hasWords(normalized(option).split(' '), words));
  return words.length > 0 && fitting.length === 1 ? (fitting[0] ?? null) : null;
}

const FILLER = new Set(['the', 'one', 'please', 'page', 'post', 'with', 'slug', 'i', 'mean', 'meant', 'id']);

/** Whether all `words` are among `all`. */
export function hasWords(all: readonly string[], words: readonly string[]): boolean {
  return words.every((word) => all.includes(word));
}
