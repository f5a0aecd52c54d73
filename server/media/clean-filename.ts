const MAX_CHARS = 100;

/**
 * A name that can be shown and told to a model: no folders, one line, nothing invisible, at most 100 characters with
 * the ending kept. Empty where nothing is left.
 */
export function cleanFilename(name: string): string {
  const own = name.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const shown = own
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (shown.length <= MAX_CHARS) return shown;
  const ending = /\.[^.]{1,10}$/.exec(shown)?.[0] ?? '';
  return `${shown.slice(0, MAX_CHARS - ending.length - 1).toWellFormed()}…${ending}`;
}
