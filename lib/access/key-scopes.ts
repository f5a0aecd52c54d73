import { keyStrings } from '#lib/strings/keys';
import type { Role, Scope } from '#server/core/principal';

/** What somebody with this role may make a key for; the server has the last word. */
export function offeredScopes(role: Role): readonly Scope[] {
  const all = Object.keys(keyStrings.scopes) as Scope[];
  return role === 'admin' ? all : all.filter((scope) => scope !== 'admin');
}
