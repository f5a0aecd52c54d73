import fc from 'fast-check';
import { isDeep } from '#tests/support/deep';

/** A text that was made to be expensive for its reader. */
export interface HurtfulText {
  readonly name: string;
  readonly kind: 'html' | 'markdown';
  readonly text: string;
}

/**
 * Characters of each text: the maximum a user may write in `npm run test:deep`; what takes minutes there takes
 * seconds here.
 */
const HURTFUL_LENGTH = isDeep ? 200_000 : 10_000;
const HALF = HURTFUL_LENGTH / 2;
const upTo = (most: number) => Math.min(most, HALF);

/** A piece again and again. */
function rows(piece: string, length = HURTFUL_LENGTH): string {
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
}

/** Pieces that differ. */
function numbered(piece: (number: number) => string, length = HURTFUL_LENGTH): string {
  let text = '';
  for (let number = 0; text.length < length; number += 1) text += piece(number);
  return text.slice(0, length);
}

/** What broke parsers of HTML before, this one's and those of others. */
const htmlBombs: Record<string, string> = {
  'elements that never close': rows('<div>'),
  'marks that never close': rows('<b>'),
  'marks in paragraphs': numbered((n) => `<p><b id=${n}>`),
  'marks behind quotes in tags': numbered((n) => `<p "><b id=${n}>">`),
  'marks behind an object': numbered((n) => `<b id=${n}><object></b></object><p>`),
  'links that never close': numbered((n) => `<a href=${n}><p>`),
  'ends of marks out of order': `${rows('<b><i>', HALF)}${rows('</b></i>', HALF)}`,
  'marks around one paragraph': `${rows('<b><i><u>', 1_000)}<p>${rows('<br>', HALF)}${rows('</b></i></u>', upTo(99_000))}`,
  'words in tables': rows('<table><b>x'),
  'tables in tables': rows('<table><tr><td>'),
  'words before rows': `<table>${rows('<tr>x')}`,
  templates: rows('<template>'),
  selects: rows('<select><option>'),
  'drawings and paragraphs': rows('<svg><p>'),
  formulas: rows('<math><mi><table>'),
  'one tag of many attributes': `<a ${numbered((n) => `a${n} `)}>`,
  'many tags of the same attributes': rows(`<p><b ${numbered((n) => `a${n} `, 1_000)}>x`),
  'attributes that are repeated': `<a ${rows('b ')}>`,
  'one long attribute': `<a href="${rows('x')}">y</a>`,
  classes: `<p class="${rows('a ')}">x</p>`,
  'quotes that never close': rows('<a b="'),
  'comments that never end': rows('<!-- '),
  'empty comments': rows('<!---->'),
  'tags that never end': rows('<a '),
  entities: rows('&amp;&#x26;&nosuch;'),
  'ends of nothing': rows('</p></br></b>'),
  'scripts in scripts': rows('<script><!--<script>'),
  'wide tables': `<table><tr>${rows('<td>x', upTo(60_000))}</tr>${rows('<tr>')}</table>`,
  'a wide cell in a long table': `<table><tr><td>${rows('x', upTo(40_000))}</td></tr>${rows('<tr><td>y</td></tr>')}</table>`,
  'lists in lists': rows('<ul><li>'),
  quotations: rows('<blockquote>', 2_000) + rows('<p>x</p>'),
  'stars in words': `<p>${rows('*a_ ')}</p>`,
  'brackets in words': `<p>${rows('[a](')}</p>`,
  'backticks in code': `<p><code>${numbered((n) => `${'`'.repeat(n % 600)} `)}</code></p>`,
  spaces: `<p>${rows(' ')}x</p>`,
  'empty lines': `x${rows('\n')}x`,
  'line breaks': `<p>${rows('<br>')}</p>`,
  blocks: rows('<!-- wp:group --><div>'),
  'blocks of paragraphs': rows('<!-- wp:paragraph --><p>*a_ [b]</p><!-- /wp:paragraph -->\n'),
  'attributes of blocks': rows('<!-- wp:a {"b":'),
  'pictures of questions': rows('<img src="/a.png?\n" alt="">'),
  'an address of questions': `<a href="/${rows('?')}\nx">y</a>`,
  'a picture of endings': `<figure class="wp-block-image"><a href="${rows('.png?')}\nx"><img src="/a.png"></a></figure>`,
  shortcodes: rows('[caption][gallery '),
  'shortcodes that never end': rows('[a '),
  'attributes of shortcodes': rows('[a_b c=1 '),
  'shortcodes of code': rows('[code]'),
  'footnotes of WordPress': rows('<sup data-fn="a">'),
  'links that never close, and words': `${rows('<a href="/x">', upTo(30_000))}${rows('word ', upTo(30_000))}`,
};

/** What broke parsers of markdown before. */
const markdownBombs: Record<string, string> = {
  'emphasis that never closes': rows('*a_ '),
  'emphasis in emphasis': rows('*a **a '),
  stars: rows('*'),
  'emphasis that closes late': `${rows('*a ', HALF)}${rows('a* ', HALF)}`,
  strikes: rows('~a~~ '),
  'opening brackets': rows('['),
  'closing brackets': rows(']'),
  'pictures in pictures': rows('![a]('),
  'words after an open bracket': `[${rows('a ')}`,
  'fewer words after an open bracket': `[${rows('a ', upTo(48_000))}`,
  'words after a bracket that is closed in code': `[ \`]\` ${rows('a ', upTo(48_000))}`,
  'words and no marks': rows('1 '),
  'escapes between words': rows(' |!\\[', upTo(48_000)),
  'marks in words that are escaped on the way': `<=\`\`-->.*${rows('    |![')}`,
  'titles that never end': rows('[a](b (c '),
  backticks: numbered((n) => `${'`'.repeat((n % 600) + 1)}a`),
  comments: rows('a<!--b'),
  instructions: rows('a<?b'),
  tags: rows('a<b c="'),
  angles: rows('<'),
  'an address of stops': `www.a.b/${rows('!')}a`,
  'an address of parentheses': `www.a.b/${rows(')')}a`,
  'an address of entities': `www.a.b/${rows('&amp;')}(`,
  addresses: rows('www.a.b '),
  mail: rows('a@a.b '),
  'mail that never ends': rows('a-'),
  'mail at the end': `${rows('a-')}@`,
  quotations: rows('> '),
  'quotations with a word': `${'> '.repeat(49)}x`,
  'quotations that go on': `${'>'.repeat(45)}a\n${rows('a\n')}`,
  'lists in lists': numbered((n) => `${' '.repeat(2 * n)}- a\n`),
  'lists on one line': rows('- '),
  'lists and empty lines': `${'- '.repeat(45)}a\n${rows('\n')}x`,
  items: rows('- a\n'),
  numbers: numbered((n) => `${n}. a\n`),
  'quotations in lists': rows('- > a\n'),
  lines: rows('a\n'),
  paragraphs: rows('a\n\n'),
  headings: rows('a\n=\n'),
  fences: rows('```\n~~~\n'),
  'a wide table': `${rows('|a', upTo(60_000))}|\n${rows('|-', upTo(60_000))}|\n${rows('|\n', upTo(80_000))}`,
  'a long table': `|a|b|\n|-|-|\n${rows('|a|b|\n')}`,
  definitions: `${numbered((n) => `[${n}]: b\n`, HALF)}\n${numbered((n) => `[${n}] `, HALF)}`,
  'one definition that is named often': `[a]: /${rows('x', upTo(50_000))}\n\n${rows('[a] ')}`,
  footnotes: `${numbered((n) => `[^${n}]: b\n`, HALF)}\n${numbered((n) => `[^${n}] `, HALF)}`,
  entities: rows('&amp;'),
  escapes: rows('\\*'),
  spaces: `a${rows(' ')}a`,
  tabs: `${rows('\t')}a`,
  'one word': rows('a'),
};

/** Known bombs. */
export const corpus: readonly HurtfulText[] = [
  ...Object.entries(htmlBombs).map(([name, text]) => ({ name, kind: 'html' as const, text })),
  ...Object.entries(markdownBombs).map(([name, text]) => ({ name, kind: 'markdown' as const, text })),
];

const htmlPieces = (
  '<p>|</p>|<b>|</b>|<i>|</i>|<a href="/x">|</a>|<div>|</div>|<ul><li>|</ul>|<table>|<tr><td>|</td>|</table>|<object>|</object>|' +
  '<select>|</select>|<svg>|</svg>|<math>|<template>|</template>|<h2>|</h2>|<br>|<hr>|<img src="/a.png" alt="x">|<!--|-->|"|\'|<|>|/|' +
  '<p ">|<b id=#>|<font color=#>|<a #>|<x-# y="|<button>|<form>|<nobr>|<marquee>|<blockquote>|<pre>|<code>|<figure>|<script>|</script>|' +
  '<textarea>|</textarea>|<!-- wp:group -->|<!-- /wp:group -->|<!-- wp:paragraph -->|<!-- /wp:paragraph -->|&amp;|&#|[gallery ids="1"]|' +
  '[caption]|word |\n|\n\n| |*|_|[|](|`|?|.png'
).split('|');

const markdownPieces = (
  '*§_§**§__§~§~~§[§]§](§)§![§[^#]§[#]: x§"§(§<§>§<b>§</b>§<!--§-->§<?§`§``§```§\n§\n\n§ §  \n§\t§> §- §1. §# §=§---\n§|§|-|-|\n§a§word §' +
  'www.a.b/§http://§a@b.c§&amp;§&§\\§!§.§-§:§#§    §- [ ] §~~~\n§a*§*a§_a§a_'
).split('§');

/** Repeated pieces: equal, each with another number, or first those that open and then others. */
function hurtful(kind: HurtfulText['kind'], pieces: readonly string[]): fc.Arbitrary<HurtfulText> {
  const row = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 }).map((found) => found.join(''));
  return fc.tuple(row, row, fc.constantFrom('repeat', 'numbered', 'halves', 'once')).map(([one, two, shape]) => {
    const other = (n: number) => one.replaceAll('#', String(n));
    const half = HURTFUL_LENGTH / 2;
    const text = {
      repeat: () => rows(one.replaceAll('#', '1')),
      numbered: () => numbered((n) => `${other(n)}${one.includes('#') ? '' : n}`),
      halves: () => numbered(other, half) + numbered((n) => two.replaceAll('#', String(n)), half),
      once: () => other(0) + rows(two) + one,
    }[shape]();
    return { name: JSON.stringify([shape, one, two]), kind, text: text.slice(0, HURTFUL_LENGTH) };
  });
}

/** Texts of that length, HTML and markdown in equal parts. */
export const hurtfulText: fc.Arbitrary<HurtfulText> = fc.oneof(
  hurtful('html', htmlPieces),
  hurtful('markdown', markdownPieces),
);
