import { expect, it } from 'vitest';
import { nextQuery, type TypedQuery, typedQuery, withAsked, withKnown } from '#components/ui/typed-search';

const type = (typed: TypedQuery, text: string): TypedQuery => ({ ...typed, text });

it('keeps what is typed on while the address does not follow', () => {
  let typed = type(typedQuery(''), 'kil');
  expect(nextQuery(typed)).toBe('kil');
  typed = withAsked(typed, 'kil');
  expect(nextQuery(typed)).toBeNull();
  typed = withAsked(type(typed, 'kiln '), 'kiln');
  typed = withKnown(type(typed, 'kiln god'), 'kil');
  expect(typed.text).toBe('kiln god');
  expect(nextQuery(typed)).toBe('kiln god');
  typed = withKnown(typed, 'kiln');
  expect(typed).toEqual({ text: 'kiln god', known: 'kiln', asked: [] });
});

it('takes the words of an address that comes from elsewhere', () => {
  const typed = withAsked(type(typedQuery('mugs'), 'kiln'), 'kiln');
  expect(withKnown(typed, '')).toEqual(typedQuery(''));
  expect(nextQuery(withKnown(typed, ''))).toBeNull();
});
