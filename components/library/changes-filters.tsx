import { X } from 'lucide-react';
import { useId } from 'react';
import type { ChangesFilter } from '#components/api/paths';
import { changesStrings } from '#components/changes/words';
import { useSessionTitle } from '#components/chat/session/use-sessions';
import { libraryStrings } from '#components/library/words';
import type { ChangeActor, ChangeTarget } from '#server/core/content';

const say = libraryStrings.changes;

interface ChangesFiltersProps {
  readonly view: ChangesView;
  readonly onChange: (changes: Partial<ChangesView>) => void;
}

/** Whose changes, of what, and of which conversation. */
export function ChangesFilters({ view, onChange }: ChangesFiltersProps) {
  return (
    <search className="mt-8 flex flex-wrap items-center gap-x-5 gap-y-3">
      <Choice
        label={say.whoLabel}
        any={say.anyone}
        names={{ ...say.who, user: say.byHand }}
        choices={actorChoices}
        value={view.actor}
        onChange={(actor) => onChange({ actor })}
      />
      <Choice
        label={say.kindLabel}
        any={say.anything}
        names={say.kinds}
        choices={targetChoices}
        value={view.targetType}
        onChange={(targetType) => onChange({ targetType })}
      />
      {view.sessionId !== undefined && (
        <OneConversation sessionId={view.sessionId} onRemove={() => onChange({ sessionId: undefined })} />
      )}
    </search>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  /** What the choice of none is called. */
  readonly any: string;
  readonly names: Readonly<Record<T, string>>;
  readonly choices: readonly T[];
  readonly value: T | undefined;
  readonly onChange: (value: T | undefined) => void;
}

function Choice<T extends string>({ label, any, names, choices, value, onChange }: ChoiceProps<T>) {
  const id = useId();
  return (
    <div className="flex items-center gap-2">
      <label htmlFor={id} className="text-sm text-ink-2">
        {label}
      </label>
      <select
        id={id}
        value={value ?? ''}
        onChange={(event) => onChange(choices.find((choice) => choice === event.target.value))}
        className="h-9 rounded-md border border-rule-strong bg-sheet px-2 text-sm"
      >
        <option value="">{any}</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {names[choice]}
          </option>
        ))}
      </select>
    </div>
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
        {sessionId.startsWith('imp_') ? say.onlyImport : say.onlyConversation(title ?? say.someConversation)}
      </span>
      <X aria-hidden className="size-4 shrink-0 stroke-[1.75]" />
      <span className="sr-only">{say.showAll}</span>
    </button>
  );
}

/** Every kind of author, and of thing that is changed, as a choice. */
const actorChoices = Object.keys(changesStrings.who) as readonly ChangeActor[];
const targetChoices = Object.keys(changesStrings.kinds) as readonly ChangeTarget[];

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
