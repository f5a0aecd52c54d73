/** Who may use the server: the person at this machine, or people with accounts. */
export const authModes = ['local', 'accounts'] as const;

/**
 * Finds a variable that is probably a misspelled AUTH_MODE. If it were ignored, the server would start in local mode,
 * without sign-in. Only a variable with a value of AUTH_MODE counts, since other programs have variables with such names.
 * @param given names and values of the set variables
 * @returns the error for the operator; null if there is no such variable
 */
export function misspelledAuthMode(given: readonly (readonly string[])[]): string | null {
  if (given.some(([name]) => name === 'AUTH_MODE')) return null;
  const meant = given.find(([name = '', value = '']) => {
    const isSimilar = editDistance(plain(name), 'AUTHMODE') <= 2;
    return isSimilar && authModes.some((mode) => editDistance(value.toLowerCase(), mode) <= 1);
  });
  return meant?.[0] === undefined ? null : `${meant[0]} is not a setting of this server: did you mean AUTH_MODE?`;
}

/** Upper-case letters and digits of a name. */
function plain(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]/g, '');
}

/** Levenshtein distance: the number of letters to insert, remove or replace that turns one text into the other. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [at, letter] of Array.from(one).entries()) {
    const next = [at + 1];
    for (const [place, wanted] of Array.from(other).entries())
      next.push(Math.min(row[place + 1]! + 1, next[place]! + 1, row[place]! + (letter === wanted ? 0 : 1)));
    row = next;
  }
  return row[other.length]!;
}
