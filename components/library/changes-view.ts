import type { ChangesFilter } from '#components/api/paths.ts';
import type { ChangeActor, ChangeTarget } from '#server/core/site/changes';

/** Values of the filters. */
export const actorChoices = [
  'assistant',
  'user',
  'api',
  'seed',
  'import',
  'schedule',
  'external',
] as const satisfies readonly ChangeActor[];
export const targetChoices = [
  'page',
  'post',
  'asset',
  'navigation',
  'settings',
  'standing-instructions',
  'design',
] as const satisfies readonly ChangeTarget[];

/** Filters of the journal; an undefined one does not filter. */
export type ChangesView = Pick<ChangesFilter, 'actor' | 'targetType' | 'sessionId' | 'targetId'>;

/** Reads a view from an address; missing or invalid values do not filter. */
export function parseChangesView(params: URLSearchParams): ChangesView {
  return {
    actor: actorChoices.find((actor) => actor === params.get('who')),
    targetType: targetChoices.find((type) => type === params.get('what')),
    sessionId: params.get('session') ?? undefined,
    targetId: params.get('id') ?? undefined,
  };
}

/** A view as the query of an address; empty if nothing is filtered. */
export function changesViewQuery({ actor, targetType, sessionId, targetId }: ChangesView): string {
  const pairs = [
    ['who', actor],
    ['what', targetType],
    ['session', sessionId],
    ['id', targetId],
  ] as const;
  return new URLSearchParams(pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))).toString();
}
