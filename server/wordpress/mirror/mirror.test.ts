import { expect, it } from 'vitest';
import { knownNavigationOf, type RemoteLink } from '#server/wordpress/mirror/mirror';

it('reads why a menu is hidden from records that have only the English sentence', () => {
  const hiddenIn = (hidden: unknown) =>
    knownNavigationOf({ known: { kind: 'blocks', content: '', hidden } } as unknown as RemoteLink)?.hidden;
  expect(hiddenIn('The theme X shows no menu.')).toEqual({
    code: 'note',
    params: { text: 'The theme X shows no menu.' },
    text: 'The theme X shows no menu.',
  });
  const coded = { code: 'wordpress-no-menu', params: { theme: 'X' }, text: 'The theme X shows no menu.' };
  expect(hiddenIn(coded)).toEqual(coded);
  expect(hiddenIn(undefined)).toBeNull();
});
