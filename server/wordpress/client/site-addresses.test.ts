import { expect, it } from 'vitest';
import { InvalidInputError } from '#server/core/errors';
import { baseAddress } from '#server/wordpress/client/site-addresses';

it.each([
  ['https://a.test/', 'https://a.test'],
  [' https://a.test/blog/wp-admin/edit.php?post=1#x ', 'https://a.test/blog'],
  ['http://a.test:8080/wp-json', 'http://a.test:8080'],
])('the address of a site: %s', (given, address) => expect(baseAddress(given)).toBe(address));

it.each(['a.test', 'ftp://a.test', 'https://me:word@a.test', ''])('no address of a site: %s', (given) => {
  expect(() => baseAddress(given)).toThrow(InvalidInputError);
});
