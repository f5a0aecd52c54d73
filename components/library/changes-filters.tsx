import { X } from 'lucide-react';
import type { ChangesFilter } from '#components/api/paths';
import { changesStrings } from '#components/changes/words';
import { changesPageStrings } from '#components/library/changes-words';
import { useSessionTitle } from '#components/chat/session/use-sessions';
import { ChoiceField } from '#components/ui/fields';
import type { ChangeActor, ChangeTarget } from '#server/core/changes';

const say = changesStrings;
const list = changesPageStrings;

interface ChangesFiltersProps {
  readonly view: ChangesView;
  readonly onChange: (changes: Partial<ChangesView>) => void;
}

/** Filters by author, kind and conversation. */
export function ChangesFilters({ view, onChange }: ChangesFiltersProps) {
  return (
    <search className="mt-8 flex flex-wrap items-center gap-x-5 gap-y-3">
      <ChoiceField
        label={list.whoLabel}
        any={list.anyone}
        choices={{ ...say.who, user: say.byHand }}
        value={view.actor ?? null}
        onChange={(actor) => onChange({ actor })}
        onAny={() => onChange({ actor: undefined })}
      />
      <ChoiceField
        label={list.kindLabel}
        any={list.anything}
        choices={list.kinds}
        value={view.targetType ?? null}
        onChange={(targetType) => onChange({ targetType })}
        onAny={() => onChange({ targetType: undefined })}
      />
      {view.sessionId !== undefined && (
        <OneConversation sessionId={view.sessionId} onRemove={() => onChange({ sessionId: undefined })} />
      )}
    </search>
  );
}

function OneConversation({ sessionId, onRemove }: { readonly sessionId: string; readonly onRemove: () => void }) {
  const title = useSessionTitle(sessionId);
  return (
    <button
      type="button"
      onClick={onRemove}
      className="inline-flex h-9 max-w-full min-w-0 items-center gap-2 rounded-md bg-accent-wash px-3 text-sm"
    >
      <span className="truncate">
        {sessionId.startsWith('imp_') ? list.onlyImport : list.onlyConversation(title ?? list.someConversation)}
      </span>
      <X aria-hidden className="size-4 shrink-0 stroke-[1.75]" />
      <span className="sr-only">{list.showAll}</span>
    </button>
  );
}

/** Every kind of author, and of thing that is changed, as a choice. */
const actorChoices = Object.keys(changesStrings.who) as readonly ChangeActor[];
const targetChoices = Object.keys(changesPageStrings.kinds) as readonly ChangeTarget[];

/** Filters of the journal. */
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
