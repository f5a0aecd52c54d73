import { expect, it } from 'vitest';
import {
  nextQuery,
  type TypedQuery,
  typedQuery,
  withSentQuery,
  withAddressQuery,
} from '#components/ui/typed-search.ts';

const type = (typed: TypedQuery, text: string): TypedQuery => ({ ...typed, text });

it('keeps what is typed on while the address does not follow', () => {
  let typed = type(typedQuery(''), 'kil');
  expect(nextQuery(typed)).toBe('kil');
  typed = withSentQuery(typed, 'kil');
  expect(nextQuery(typed)).toBeNull();
  typed = withSentQuery(type(typed, 'kiln '), 'kiln');
  typed = withAddressQuery(type(typed, 'kiln god'), 'kil');
  expect(typed.text).toBe('kiln god');
  expect(nextQuery(typed)).toBe('kiln god');
  typed = withAddressQuery(typed, 'kiln');
  expect(typed).toEqual({ text: 'kiln god', addressQuery: 'kiln', sent: [] });
});

it('takes the query of an address from elsewhere', () => {
  const typed = withSentQuery(type(typedQuery('mugs'), 'kiln'), 'kiln');
  expect(withAddressQuery(typed, '')).toEqual(typedQuery(''));
  expect(nextQuery(withAddressQuery(typed, ''))).toBeNull();
});
