import { expect, it } from 'vitest';
import { addressOf } from '#components/editor/rich-text/toolbar';

it.each([
  ['/pricing', '/pricing'],
  [' https://a.example/b ', 'https://a.example/b'],
  ['a.example/b', 'https://a.example/b'],
  ['me@a.example', 'mailto:me@a.example'],
  ['#top', '#top'],
  ['firing club', null],
  ['javascript:alert(1)', null],
  ['//elsewhere.example', null],
])('%j becomes %j', (typed, address) => expect(addressOf(typed)).toBe(address));
