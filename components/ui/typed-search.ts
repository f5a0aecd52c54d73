import { useEffect, useEffectEvent, useState } from 'react';

/** Pause in typing after which a search starts; ms. */
const TYPING_PAUSE = 250;

/** Text typed into a search whose query is in the address. While the user types, the address follows with a delay. */
export interface TypedQuery {
  readonly text: string;
  /** Query in the address when it was last read. */
  readonly addressQuery: string;
  /** Queries sent to the address that are not in it yet, newest last. */
  readonly sent: readonly string[];
}

/** The typed query if nothing was typed since the address contained `addressQuery`. */
export const typedQuery = (addressQuery: string): TypedQuery => ({ text: addressQuery, addressQuery, sent: [] });

/** The next query to search for; null: none. */
export function nextQuery({ text, addressQuery, sent }: TypedQuery): string | null {
  const q = text.trim();
  return q === (sent.at(-1) ?? addressQuery) ? null : q;
}

/** The typed query after a search for it was sent. */
export function withSentQuery(typed: TypedQuery, q: string): TypedQuery {
  return { ...typed, sent: [...typed.sent, q] };
}

/**
 * Handles a changed address: either it contains a query sent from here, or another one (history navigation, "show
 * all"), whose text then replaces the typed text.
 */
export function withAddressQuery(typed: TypedQuery, addressQuery: string): TypedQuery {
  const place = typed.sent.indexOf(addressQuery);
  return place < 0 ? typedQuery(addressQuery) : { ...typed, addressQuery, sent: typed.sent.slice(place + 1) };
}

/**
 * The text of a search field. A search starts after a pause in typing. A query that changes in another way, such as by
 * going back, replaces the text. Text typed while a search is under way is kept.
 * @param wanted the current query
 */
export function useTypedSearch(wanted: string, onSearch: (wanted: string) => void) {
  const [typed, setTyped] = useState(() => typedQuery(wanted));
  if (wanted !== typed.addressQuery) setTyped(withAddressQuery(typed, wanted));
  const next = nextQuery(typed);
  const search = useEffectEvent((query: string) => {
    setTyped((before) => withSentQuery(before, query));
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
