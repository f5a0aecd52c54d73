import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeEntities, htmlFromText, textFromHtml } from '#server/markup/html-text';
import { bodyFromFields, entryAnswerSchema, entryFromAnswer, timeFromGmt } from '#server/wordpress/client/remote-entry';

const read = (answer: object, tags = new Map<number, string>()) =>
  entryFromAnswer(entryAnswerSchema.parse({ id: 7, type: 'page', status: 'publish', ...answer }), tags);

describe('a page or post of WordPress', () => {
  it('is read in our words', () => {
    const answer = {
      type: 'post',
      status: 'trash',
      slug: 'gr%c3%b6%c3%9fe-%e6%97%a5%e6%9c%ac__trashed-2',
      title: { raw: 'A &amp; <em>B</em>' },
      content: { raw: '<p>&amp;</p>' },
      excerpt: { raw: 'x &lt; y' },
      featured_media: 9,
      tags: [3, 4, 5],
      author: 1,
      date_gmt: '2026-11-22T14:39:34',
      modified_gmt: '2026-11-22T14:39:35',
      link: 'https://a.test/x/',
      some_plugin: { of: 'its own' },
    };
    const tags = new Map([
      [4, 'four'],
      [3, 'three'],
    ]);
    expect(read(answer, tags)).toEqual({
      remoteId: 7,
      type: 'post',
      kind: null,
      terms: {},
      custom: {},
      status: 'trash',
      password: '',
      isSticky: false,
      builder: '',
      seo: null,
      titleRaw: 'A &amp; <em>B</em>',
      excerptRaw: 'x &lt; y',
      tagIds: [3, 4, 5],
      title: 'A & B',
      slug: 'größe-日本',
      suggestedSlug: '',
      contentRaw: '<p>&amp;</p>',
      excerpt: 'x < y',
      parentRemoteId: null,
      featuredMedia: 9,
      tags: ['three', 'four'],
      authorId: 1,
      dateGmt: Date.UTC(2026, 10, 22, 14, 39, 34),
      modifiedGmt: Date.UTC(2026, 10, 22, 14, 39, 35),
      link: 'https://a.test/x/',
      addressTemplate: '',
      language: null,
    });
  });

  it('may lack almost everything', () => {
    expect(read({ status: 'draft', generated_slug: 'a-b', date_gmt: null })).toMatchObject({
      title: '',
      slug: '',
      suggestedSlug: 'a-b',
      contentRaw: '',
      dateGmt: null,
      featuredMedia: null,
    });
    expect(read({ slug: '100%-sure' }).slug).toBe('100%-sure');
  });

  it('is a draft with a status that a plugin has made', () => {
    expect(read({ status: 'plugin-made' }).status).toBe('draft');
  });

  it('is written with the given fields only: no status, no empty field', () => {
    expect(bodyFromFields({})).toEqual({});
    expect(bodyFromFields({ title: 'A & <b>', parentRemoteId: null, featuredMedia: null, dateGmt: 0 })).toEqual({
      title: 'A & &lt;b>',
      parent: 0,
      featured_media: 0,
      date_gmt: '1970-01-01T00:00:00',
    });
  });

  it.each([
    ['0000-00-00T00:00:00', null],
    ['never', null],
    [undefined, null],
    ['2026-01-01T00:00:00+01:00', Date.UTC(2025, 11, 31, 23)],
  ])('time %s', (gmt, time) => expect(timeFromGmt(gmt)).toBe(time));
});

describe('texts that WordPress keeps as HTML', () => {
  it.each([
    ['Tom &amp; Jerry &#8217;&#x1F388;&hellip;', 'Tom & Jerry ’🎈…'],
    ['A & B &unknown; &#0; &#xD800; &#99999999;', 'A & B &unknown; &#0; &#xD800; &#99999999;'],
    ['<em>Big</em> a < b > c <3', 'Big a < b > c <3'],
    ['', ''],
  ])('%j reads %j', (html, text) => expect(textFromHtml(html)).toBe(text));

  it('read back what was written, for any text', () => {
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
  it('keeps entities that are part of other entities', () => expect(decodeEntities('&amp;lt;')).toBe('&lt;'));
});
