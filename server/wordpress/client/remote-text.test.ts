import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeEntities } from '#server/markup/html-tree';
import { htmlFromText, textFromHtml } from '#server/wordpress/client/remote-entry';

describe('texts that WordPress keeps as HTML', () => {
  it.each([
    ['Tom &amp; Jerry &#8217;&#x1F388;&hellip;', 'Tom & Jerry ’🎈…'],
    ['A & B &unknown; &#0; &#xD800; &#99999999;', 'A & B &unknown; &#0; &#xD800; &#99999999;'],
    ['<em>Big</em> a < b > c <3', 'Big a < b > c <3'],
    ['', ''],
  ])('%j reads %j', (html, text) => expect(textFromHtml(html)).toBe(text));

  it('are what was written again, whatever that is', () => {
    const words = fc.array(
      fc.constantFrom(
        '&',
        '<',
        '>',
        'amp;',
        '&amp;',
        '&#38;',
        '&lt;',
        '<b>',
        '</b>',
        'a',
        '#',
        ';',
        ' b ',
        '日本',
        '🎈',
        '<!--',
      ),
    );
    fc.assert(
      fc.property(words, (parts) => {
        const text = parts.join('').trim();
        expect(textFromHtml(htmlFromText(text))).toBe(text);
      }),
    );
  });

  it('leaves what is no entity', () => expect(decodeEntities('&valueOf; &nobody;')).toBe('&valueOf; &nobody;'));
  it('keeps entities that stand for parts of others', () => expect(decodeEntities('&amp;lt;')).toBe('&lt;'));
});
