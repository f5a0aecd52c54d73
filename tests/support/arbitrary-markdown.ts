import fc from 'fast-check';

const word = fc.stringMatching(/^[a-zåé]{1,8}$/);
const words = fc.array(word, { minLength: 1, maxLength: 6 }).map((list) => list.join(' '));

/** Running text with all that it can have in it, in more than one way of writing. */
const phrase = fc.oneof(
  { weight: 6, arbitrary: words },
  word.map((text) => `**${text}**`),
  word.map((text) => `__${text}__`),
  word.map((text) => `*${text}*`),
  word.map((text) => `_${text}_`),
  word.map((text) => `***${text}***`),
  word.map((text) => `~~${text}~~`),
  word.map((text) => `\`${text}\``),
  word.map((text) => `[${text}](/${text})`),
  word.map((text) => `[${text} **b**](https://${text}.example "A title")`),
  word.map((text) => `![${text}](/images/${text}.svg)`),
  fc.constantFrom(
    '<https://a.example>',
    'https://b.example/c_d',
    'a@b.example',
    'a\\*b',
    '&amp;',
    '&nbsp;',
    '5 * 3 * 2',
    'a_b_c',
    '<b>bold</b>',
    '[ref]',
    '[x][ref]',
    '[^1]',
    '1986. A year',
    'line\\\nbreak',
    'line  \nbreak',
    'soft\nbreak',
    'end\\',
    '日本語',
    '👩‍🎨',
    '~',
    '#tag',
    '+ plus',
    '(c)',
    '"quoted"',
    '\ta tab',
  ),
);
const running = fc.array(phrase, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(' '));
const oneLine = running.map((text) => text.replace(/\s+/g, ' '));

function indented(text: string, by: string): string {
  return text.replaceAll('\n', `\n${by}`);
}

const { block } = fc.letrec<{ block: string; list: string }>((tie) => ({
  list: fc
    .record({
      mark: fc.constantFrom('-', '*', '+', '1.', '3)'),
      gap: fc.constantFrom('\n', '\n\n'),
      items: fc.array(fc.oneof({ maxDepth: 2 }, oneLine, tie('block')), { minLength: 1, maxLength: 4 }),
    })
    .map(({ mark, gap, items }) =>
      items.map((item) => `${mark} ${indented(item, ' '.repeat(mark.length + 1))}`).join(gap),
    ),
  block: fc.oneof(
    { maxDepth: 2 },
    { weight: 6, arbitrary: running },
    oneLine.map((text) => `## ${text}`),
    oneLine.map((text) => `# ${text} #`),
    words.map((text) => `${text}\n---`),
    words.map((text) => `\`\`\`js title\n${text}\n\n  ${text}\n\`\`\``),
    words.map((text) => `    ${text}`),
    words.map((text) => `~~~\n${text}`),
    words.map((text) => `| ${text} | b |\n| --- | :-: |\n| **c** | d |`),
    words.map((text) => `<div class="x">\n${text}\n</div>`),
    words.map((text) => `<!-- ${text} -->`),
    words.map((text) => `[^1]: ${text}`),
    word.map((text) => `[ref]: /${text} "T"`),
    words.map((text) => `- [ ] ${text}\n- [x] done`),
    fc.constantFrom('---', '***', '- - -', '-', '>', '#', '1.'),
    tie('list'),
    tie('block').map((text) => `> ${indented(text, '> ')}`),
    words.map((text) => `> ${text}\nlazy`),
  ),
}));

const pieces = '# * ** _ ` ``` ~~~ > - 1. [ ] ( ) | < ! & \\ : a b [x]:y [^1] <!-- --> ~ = ---'
  .split(' ')
  .concat([' ', '  ', '\t', '\n', '\n\n', '    ']);

/** Pieces of syntax in any order: more is unclosed than closed. */
const chaos = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join(''));

const separator = fc.constantFrom('\n', '\n\n', '\n\n', '\n\n', '\n\n\n', '\n \n', '\n\t\n\n');

/** Markdown as people, models and other programs write it, the odd and the broken included. */
export const arbitraryMarkdown: fc.Arbitrary<string> = fc
  .record({
    blocks: fc.array(fc.tuple(fc.oneof({ weight: 5, arbitrary: block }, chaos), separator), { maxLength: 6 }),
    before: fc.constantFrom('', '', '\n', '  '),
    isWindows: fc.boolean(),
  })
  .map(({ blocks, before, isWindows }) => {
    const text = before + blocks.flat().join('');
    return isWindows ? text.replaceAll('\n', '\r\n') : text;
  });
