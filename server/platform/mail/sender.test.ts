import { describe, expect, it } from 'vitest';
import { parseSender } from '#server/platform/mail/sender';

describe('parseSender', () => {
  it.each([
    ['post@club.example', '', 'post@club.example'],
    ['Club <post@club.example>', 'Club', 'post@club.example'],
    ['"Kiln: Shop" <post@kiln.example>', 'Kiln: Shop', 'post@kiln.example'],
    ['"O\\"Brien; Söhne" <post@kiln.example>', 'O"Brien; Söhne', 'post@kiln.example'],
    ['"Club (Office), north" <post@club.example>', 'Club (Office), north', 'post@club.example'],
    ['Töpferei Łódź <post@kiln.example>', 'Töpferei Łódź', 'post@kiln.example'],
  ])('reads %s', (text, name, address) => expect(parseSender(text)).toEqual({ name, address }));

  it.each([
    'Kiln: Shop <post@kiln.example>',
    'O"Brien; Söhne <post@kiln.example>',
    'Club (Office) <post@club.example>',
    'post@club.example (Club)',
    'a@club.example, b@club.example',
    'Club <a@club.example>, <b@club.example>',
    'Club <a@club.example> <b@club.example>',
    'Club <post@club.example',
    'Club',
    'Club <post@[x@evil.example]>',
    'Club\u0007 <post@club.example>',
    '',
  ])('refuses %s, because a name or an address would change', (text) => expect(parseSender(text)).toBeNull());
});
