/** What is typed into a search whose words are in the address. The address follows later: meanwhile one types on. */
export interface TypedQuery {
  readonly text: string;
  /** Of the address, when it was last looked at. */
  readonly known: string;
  /** What was asked for from here and is not in the address yet, the newest last. */
  readonly asked: readonly string[];
}

/** Nothing was typed since the address said `known`. */
export const typedQuery = (known: string): TypedQuery => ({ text: known, known, asked: [] });

/** What is to be searched for next; null: nothing else. */
export function nextQuery({ text, known, asked }: TypedQuery): string | null {
  const q = text.trim();
  return q === (asked.at(-1) ?? known) ? null : q;
}

/** It was asked for. */
export function withAsked(typed: TypedQuery, q: string): TypedQuery {
  return { ...typed, asked: [...typed.asked, q] };
}

/** The address is another: what was asked for from here, or, as by the way back or "show all", with its own text. */
export function withKnown(typed: TypedQuery, known: string): TypedQuery {
  const place = typed.asked.indexOf(known);
  return place < 0 ? typedQuery(known) : { ...typed, known, asked: typed.asked.slice(place + 1) };
}
