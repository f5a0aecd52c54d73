'use client';

import { useEffect, useEffectEvent, useId, useState } from 'react';
import { SearchField } from '#components/ui/search-field';
import { type SessionListView, stateChoices } from '#lib/admin/session-list';
import { nextQuery, typedQuery, withAsked, withKnown } from '#lib/admin/typed-query';
import { adminStrings } from '#lib/strings/admin';

const say = adminStrings.sessions;
/** A pause in typing after which the search begins; ms. */
const TYPING_PAUSE = 250;

interface SessionFiltersProps {
  readonly view: SessionListView;
  readonly onChange: (changes: Partial<SessionListView>) => void;
}

/** Search by title, and one state or all. */
export function SessionFilters({ view, onChange }: SessionFiltersProps) {
  const stateId = useId();
  return (
    <search className="mt-8 flex flex-wrap items-center gap-x-4 gap-y-3">
      <SearchBox query={view.q} onSearch={(q) => onChange({ q })} />
      <div className="flex items-center gap-2">
        <label htmlFor={stateId} className="text-sm text-ink-2">
          {say.filter}
        </label>
        <select
          id={stateId}
          value={view.state ?? ''}
          onChange={(event) => onChange({ state: stateChoices.find((state) => state === event.target.value) ?? null })}
          className="h-9 rounded-md border border-rule-strong bg-sheet px-2 text-sm"
        >
          <option value="">{say.anyState}</option>
          {stateChoices.map((state) => (
            <option key={state} value={state}>
              {adminStrings.states[state]}
            </option>
          ))}
        </select>
      </div>
    </search>
  );
}

function SearchBox({ query, onSearch }: { readonly query: string; readonly onSearch: (q: string) => void }) {
  const [typed, setTyped] = useState(() => typedQuery(query));
  if (query !== typed.known) setTyped(withKnown(typed, query));
  const next = nextQuery(typed);
  const search = useEffectEvent((q: string) => {
    setTyped((before) => withAsked(before, q));
    onSearch(q);
  });
  useEffect(() => {
    if (next === null) return;
    const timer = setTimeout(() => search(next), TYPING_PAUSE);
    return () => clearTimeout(timer);
  }, [next]);
  return (
    <SearchField
      label={say.search}
      value={typed.text}
      onChange={(text) => setTyped((before) => ({ ...before, text }))}
      className="w-full sm:w-72"
    />
  );
}
