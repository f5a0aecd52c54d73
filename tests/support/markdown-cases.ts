import { readFileSync } from 'node:fs';

const fixture = (name: string) => readFileSync(`tests/fixtures/markdown/${name}`, 'utf8');

const link = (address: string, text = address) => `<a href="${address}">${text}</a>`;

/** Markdown in which GitHub's rules are not what a writer means, with the HTML that it should be. */
export const markdownCases: readonly (readonly [title: string, markdown: string, html: string])[] = [
  [
    'prices with one tilde',
    fixture('single-tilde.md'),
    '<p>Mugs cost 20~30 € and bowls 40~50 €.</p>\n<p>定价：20~30元，40~50元。</p>\n<p>H~2~O and <del>really gone</del>.</p>',
  ],
  [
    'addresses before full-width punctuation',
    fixture('cjk-autolink.md'),
    `<p>请看 ${link('https://x.example/path')}。后面 和 ${link('https://x.example/a')}，再见</p>`,
  ],
  ['a tilde in a list', '- 5~6 kg\n- 7~8 kg', '<ul>\n<li>5~6 kg</li>\n<li>7~8 kg</li>\n</ul>'],
  [
    'addresses in full-width brackets',
    '见「https://x.example/a」和（https://x.example/b?c=1）。',
    `<p>见「${link('https://x.example/a')}」和（${link('https://x.example/b?c=1')}）。</p>`,
  ],
  [
    'an address in German quotation marks',
    'Unter „https://x.example/a“ steht es.',
    `<p>Unter „${link('https://x.example/a')}“ steht es.</p>`,
  ],
  ['an address without a path', 'https://x.example。次', `<p>${link('https://x.example')}。次</p>`],
  [
    'an address without a protocol',
    '看 www.x.example/a、b',
    `<p>看 ${link('http://www.x.example/a', 'www.x.example/a')}、b</p>`,
  ],
  [
    'an address in brackets, then emphasis',
    '(https://x.example/a_(b))。**c**',
    `<p>(${link('https://x.example/a_(b)')})。<strong>c</strong></p>`,
  ],
  [
    'an address of letters that are not Latin',
    'https://x.example/wiki/東京・大阪 x',
    `<p><a href="https://x.example/wiki/%E6%9D%B1%E4%BA%AC%E3%83%BB%E5%A4%A7%E9%98%AA">https://x.example/wiki/東京・大阪</a> x</p>`,
  ],
  ['bold that ends in 。', '**重要。**次の行', '<p><strong>重要。</strong>次の行</p>'],
  ['bold in corner brackets', 'これは**「重要」**です', '<p>これは<strong>「重要」</strong>です</p>'],
  ['bold that ends in a bracket', '**该星号（不会）**被识别', '<p><strong>该星号（不会）</strong>被识别</p>'],
  ['bold Korean before a particle', '**한국어(韓國語)**는', '<p><strong>한국어(韓國語)</strong>는</p>'],
  ['bold that ends in €', 'Nur **20 €**pro Stück', '<p>Nur <strong>20 €</strong>pro Stück</p>'],
  ['bold that begins with €', 'für**€ 20**netto', '<p>für<strong>€ 20</strong>netto</p>'],
  ['bold German quotes', 'das**„Wort“**artige', '<p>das<strong>„Wort“</strong>artige</p>'],
  ['italic guillemets', 'le*«mot»*s', '<p>le<em>«mot»</em>s</p>'],
  ['struck out next to €', '~~20 €~~jetzt 15 €', '<p><del>20 €</del>jetzt 15 €</p>'],
  ['stars that are no emphasis', '5 * 3 € * 2 und 2*', '<p>5 * 3 € * 2 und 2*</p>'],
];

/** The texts in HTML that are links, bold, italic or struck out. Streamdown marks bold with an attribute. */
export function markedTexts(html: string): string[] {
  const marked = /<(?:a|strong|em|del|span[^>]*data-streamdown="strong")(?:\s[^>]*)?>([^<]+)</g;
  return [...html.matchAll(marked)].map(([, text = '']) => text);
}
