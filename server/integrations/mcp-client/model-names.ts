import { createHash } from 'node:crypto';
import { TOOL_NAME_SEPARATOR } from '#server/core/conversation/tool-result';

/* Names of external tools for models. */

/** Maximum characters of a tool name that every provider accepts. */
const MAX_LENGTH = 64;
/** Hexadecimal digits of the hash at the end of a changed name. */
const HASH_LENGTH = 6;

/**
 * Makes the names of a server's tools for models, by the server's own names: with the name of the server as prefix, in
 * characters that every provider accepts, at most 64. A duplicate or cut name ends in a part of its hash, so that it does
 * not depend on the order of the tools.
 */
export function modelNames(server: string, names: readonly string[]): ReadonlyMap<string, string> {
  const plain = names.map((name) => `${server}${TOOL_NAME_SEPARATOR}${name.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`);
  const isUnique = (name: string) => plain.indexOf(name) === plain.lastIndexOf(name);
  return new Map(
    names.map((name, index) => {
      const candidate = plain[index]!;
      const isUsable = candidate.length <= MAX_LENGTH && isUnique(candidate);
      return [name, isUsable ? candidate : withHash(candidate, name)];
    }),
  );
}

function withHash(candidate: string, name: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  return `${candidate.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}
