import type { World } from '../context/approach.ts';

/** Tokens that a request may hold: what the peers' limits by fraction are fractions of. */
export function inputTokens(world: World): number {
  return world.contextWindow - world.maxOutputTokens;
}
