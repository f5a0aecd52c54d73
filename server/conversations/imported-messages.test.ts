import { expect, it } from 'vitest';
import { bytesOf } from '#server/conversations/imported-messages';

it.each([
  ['base64', 'data:text/plain;base64,S2lsbg==', 'Kiln'],
  ['base64 with more parameters', 'data:text/plain;charset=utf-8;base64,S8O2bG4=', 'Köln'],
  ['plain text, encoded', 'data:text/plain,K%C3%B6ln%2C%20Kiln', 'Köln, Kiln'],
  ['nothing', 'data:,', ''],
  ['a damaged address', 'data:text/plain,%C3', null],
  ['an address without data', 'data:text/plain;base64', null],
  ['a web address', 'https://media.example/data:,x', null],
  ['a blob of ours', '@blob:blb_1', null],
])('reads the bytes of %s', (_, url, text) => {
  expect(bytesOf(url)?.toString() ?? null).toBe(text);
});
