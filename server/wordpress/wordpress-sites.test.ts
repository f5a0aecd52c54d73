import { expect, it } from 'vitest';
import { safeSiteAddress } from '#server/wordpress/wordpress-sites';

it.each([
  ['example.org', 'https://example.org'],
  [' https://Example.org/ ', 'https://example.org'],
  ['https://example.org/blog/wp-admin/profile.php?x=1#y', 'https://example.org/blog'],
  ['example.org:8443/blog/', 'https://example.org:8443/blog'],
  ['localhost:8080', 'https://localhost:8080'],
  ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
  ['http://[::1]:8080', 'http://[::1]:8080'],
  ['http://192.168.1.4', 'http://192.168.1.4'],
  ['http://wordpress:80', 'http://wordpress'],
  ['http://site.localhost', 'http://site.localhost'],
])('reads %s as %s', (typed, address) => {
  expect(safeSiteAddress(typed)).toBe(address);
});

it.each([
  '',
  '  ',
  'two words',
  'https://',
  'ftp://example.org',
  'javascript:alert(1)',
  'file:///etc/passwd',
  'https://me:secret@example.org',
  'me:secret@example.org',
])('refuses %j, and repeats nothing of it', (typed) => {
  expect(() => safeSiteAddress(typed)).toThrow(/address/i);
  expect(() => safeSiteAddress(typed)).not.toThrow(/secret/);
});

it.each([
  'http://example.org',
  'http://example.org.',
  'http://8.8.8.8',
  'http://0x08080808',
  'http://[2606:4700::1111]',
  'http://localhost.example.org',
])('sends no password to %s, which is not encrypted', (typed) => {
  expect(() => safeSiteAddress(typed)).toThrow('unencrypted');
});
