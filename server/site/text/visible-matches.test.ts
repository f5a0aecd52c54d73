import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replaceText } from '#server/site/text/text-places';
import type { Section } from '#server/core/site/content';

const NUMBER = '030 123 45';
const text = (body: string): Section => ({ id: 'sec_1', type: 'text', fields: { body } });
const html = (source: string): Section => ({ id: 'sec_1', type: 'html', fields: { html: source } });

function replaced(section: Section, find = NUMBER, replace = '030 999 45'): unknown {
  const { operations, unsafe } = replaceText(
    { title: 'Contact', slug: 'contact', sections: [section] },
    { find },
    replace,
  );
  if (unsafe.length > 0) return { unsafe: unsafe.map((place) => place.text) };
  const [operation] = operations;
  return operation?.op === 'set-section' ? Object.values(operation.fields)[0] : undefined;
}

describe('a text with other spaces or marks in it', () => {
  it.each([
    ['HTML', html('<p>a&nbsp;b</p>'), 'a b', 'x<y z', '<p>x&lt;y&nbsp;z</p>'],
    ['HTML with an ampersand', html('<p>AT&amp;T</p>'), 'AT&T', 'R&D', '<p>R&amp;D</p>'],
    ['Markdown', text('AT&amp;T'), 'AT&T', 'R&D <i>', 'R&D \\<i>'],
    ['Markdown with marks', text('a&nbsp;b'), 'a b', '*x* [y]', '\\*x\\*&nbsp;\\[y\\]'],
  ])('is replaced by a text that readers see literally in %s', (_, section, find, replace, after) => {
    expect(replaced(section, find, replace)).toBe(after);
  });

  it.each([
    ['a no-break space', text('Call 030\u00a0123\u00a045 today'), 'Call 030\u00a0999\u00a045 today'],
    ['a reference in Markdown', text('Call 030&nbsp;123&nbsp;45'), 'Call 030&nbsp;999&nbsp;45'],
    ['a thin space and a soft hyphen', text('030\u2009123\u202f4\u00ad5'), '030\u2009999\u202f4\u00ad5'],
    ['a soft line break', text('> Call 030\n> 123 45'), '> Call 030\n> 999 45'],
    ['a hard line break', text('Call 030\\\n123 45'), 'Call 030\\\n999 45'],
    ['bold digits', text('030 **123** 45'), '030 **999** 45'],
    ['bold and italic digits', text('***030*** 123 _45_'), '***030*** 999 _45_'],
    ['a link around a part', text('[030](/call) 123 45'), '[030](/call) 999 45'],
    ['an escaped character', text('030 123 45 \\* only'), '030 999 45 \\* only'],
    ['a tag', html('<p>Call 030 <b>123</b> 45</p>'), '<p>Call 030 <b>999</b> 45</p>'],
    [
      'a span and a reference',
      html('<p><span>030</span>&nbsp;123&#160;45</p>'),
      '<p><span>030</span>&nbsp;999&#160;45</p>',
    ],
    ['a comment', html('<p>030 <!-- c -->123 45</p>'), '<p>030 <!-- c -->999 45</p>'],
    ['a line break tag', html('<p>030<br>123 45</p>'), '<p>030<br>999 45</p>'],
  ])('is replaced through %s, which stays', (_, section, after) => {
    expect(replaced(section)).toBe(after);
  });

  it('is replaced if the word count differs, provided one piece of the source has all changes', () => {
    expect(replaced(text('Call **030 123\u00a045** now'), NUMBER, '030 1234-5')).toBe('Call **030 1234-5** now');
    expect(replaced(text('**Call** 030\u00a0123 45'), NUMBER, '(0)30 1')).toBe('**Call** (0)30 1');
  });

  it('is left and reported where a mark runs through the words that change', () => {
    expect(replaced(text('Call 030 1**23** 45'))).toEqual({ unsafe: ['Call 030 1**23** 45'] });
    expect(replaced(text('030 **123** 45'), NUMBER, '0171 9')).toEqual({ unsafe: ['030 **123** 45'] });
    expect(replaced(html('<p>030 <b>123</b> 45</p>'), NUMBER, '')).toEqual({ unsafe: ['<p>030 <b>123</b> 45</p>'] });
  });

  it('is not found where readers see another text', () => {
    expect(replaced(html('<p>030 123 <sup>45</sup></p>'))).toBeUndefined();
    expect(replaced(html('<p>030</p><p>123 45</p>'))).toBeUndefined();
    expect(replaced(html('<script>030&nbsp;123 45</script>'))).toBeUndefined();
    expect(replaced(text('030*123 45'), '030123 45', 'x')).toBeUndefined();
    expect(replaced(text('030\n\n123 45'))).toBeUndefined();
  });

  it('is replaced literally if it has unusual spaces', () => {
    expect(replaced(text('a\u00a0b'), 'a b', 'a\u00a0b')).toBeUndefined();
    expect(replaced(text('a\u00a0b and a b'), 'a\u00a0b', 'a b')).toBe('a b and a b');
  });

  it('is found in every field, as a whole word if that is asked for', () => {
    const document = {
      title: `Call 030\u00a0123\u00a0456`,
      slug: 'call',
      excerpt: 'On 030\u00a0123 45.',
      sections: [],
    };
    const { places } = replaceText(document, { find: NUMBER, wholeWords: true }, '1');
    expect(places).toMatchObject([{ where: 'excerpt', count: 1, after: { text: 'On 1.' } }]);
  });

  it('keeps everything else of any Markdown', () => {
    const part = fc.constantFrom(
      '030',
      '123',
      '45',
      ' ',
      '\u00a0',
      '**',
      '*',
      '`',
      '[',
      '](/a)',
      '\n',
      '\n\n',
      '&nbsp;',
      '\\',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        const body = parts.join('');
        const after = replaced(text(body));
        if (typeof after === 'string') expect(after.replaceAll('999', '123')).toBe(body);
      }),
    );
  });
});
