import { useEffect, useEffectEvent, useState } from 'react';

/** A pause in typing after which a search begins; ms. */
const TYPING_PAUSE = 250;

/** Text typed into a search whose query is in the address. The address follows with a delay while the user types on. */
export interface TypedQuery {
  readonly text: string;
  /** Query in the address when it was last read. */
  readonly known: string;
  /** Queries sent to the address and not in it yet, newest last. */
  readonly asked: readonly string[];
}

/** The query if nothing was typed since the address said `known`. */
export const typedQuery = (known: string): TypedQuery => ({ text: known, known, asked: [] });

/** The next query to search for; null: none. */
export function nextQuery({ text, known, asked }: TypedQuery): string | null {
  const q = text.trim();
  return q === (asked.at(-1) ?? known) ? null : q;
}

/** The typed query after a search for it was sent. */
export function withAsked(typed: TypedQuery, q: string): TypedQuery {
  return { ...typed, asked: [...typed.asked, q] };
}

/** The address is another: what was asked for from here, or, as by the way back or "show all", with its own text. */
export function withKnown(typed: TypedQuery, known: string): TypedQuery {
  const place = typed.asked.indexOf(known);
  return place < 0 ? typedQuery(known) : { ...typed, known, asked: typed.asked.slice(place + 1) };
}

/**
 * The text of a search field, searched for after a pause in typing. What is searched for otherwise, as by the way back,
 * takes its place; what is typed on while a search is on its way stays.
 * @param wanted what is searched for now
 */
export function useTypedSearch(wanted: string, onSearch: (wanted: string) => void) {
  const [typed, setTyped] = useState(() => typedQuery(wanted));
  if (wanted !== typed.known) setTyped(withKnown(typed, wanted));
  const next = nextQuery(typed);
  const search = useEffectEvent((query: string) => {
    setTyped((before) => withAsked(before, query));
    onSearch(query);
  });
  useEffect(() => {
    if (next === null) return;
    const timer = setTimeout(() => search(next), TYPING_PAUSE);
    return () => clearTimeout(timer);
  }, [next]);
  const setText = (text: string) => setTyped((before) => ({ ...before, text }));
  return [typed.text, setText] as const;
}
