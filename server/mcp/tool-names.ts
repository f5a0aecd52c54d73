import { createHash } from 'node:crypto';
import { TOOL_NAME_SEPARATOR } from '#server/core/foreign-tool-names';

/** What every provider takes. */
const MAX_LENGTH = 64;
const HASH_LENGTH = 6;

/**
 * The names under which models see a server's tools, by the names that the server gives them: prefixed, in letters
 * that every provider takes, at most 64. Names that would be the same, or had to be cut, end in a part of their hash,
 * so that a name never depends on what else is there in which order.
 */
export function modelNames(server: string, names: readonly string[]): ReadonlyMap<string, string> {
  const plain = names.map((name) => `${server}${TOOL_NAME_SEPARATOR}${name.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`);
  const isUnique = (name: string) => plain.indexOf(name) === plain.lastIndexOf(name);
  return new Map(
    names.map((name, index) => {
      const candidate = plain[index]!;
      const isFine = candidate.length <= MAX_LENGTH && isUnique(candidate);
      return [name, isFine ? candidate : withHash(candidate, name)];
    }),
  );
}

function withHash(candidate: string, name: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  return `${candidate.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}
