import type { ChangesFilter } from '#lib/api/api-client';
import { changesStrings } from '#lib/strings/changes';
import type { ChangeActor, ChangeTarget } from '#server/core/content';

/** Every kind of author, and of thing that is changed, as a choice. */
export const actorChoices = Object.keys(changesStrings.who) as readonly ChangeActor[];
export const targetChoices = Object.keys(changesStrings.kinds) as readonly ChangeTarget[];

/** What of the journal a page shows. */
export type ChangesView = Pick<ChangesFilter, 'actor' | 'targetType' | 'sessionId' | 'targetId'>;

/** Reads a view from an address; what it does not say, or says wrongly, is not filtered by. */
export function parseChangesView(params: URLSearchParams): ChangesView {
  return {
    actor: actorChoices.find((actor) => actor === params.get('who')),
    targetType: targetChoices.find((type) => type === params.get('what')),
    sessionId: params.get('session') ?? undefined,
    targetId: params.get('id') ?? undefined,
  };
}

/** A view as the query of an address; empty where everything is shown. */
export function changesViewQuery({ actor, targetType, sessionId, targetId }: ChangesView): string {
  const pairs = [
    ['who', actor],
    ['what', targetType],
    ['session', sessionId],
    ['id', targetId],
  ] as const;
  return new URLSearchParams(pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))).toString();
}
