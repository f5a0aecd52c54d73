import fc from 'fast-check';
import type { Section } from '#server/core/site/content';

/* Contents whose sections have all kinds of markup between them, and edits of those sections, for property tests. */

const paragraph = (text: string) =>
  `<!-- wp:paragraph {"align":"center"} -->\n<p class="has-text-align-center">${text}</p>\n<!-- /wp:paragraph -->`;

/** Markup that is read as one section or, at the start of a text, as a separate section. */
const shown: readonly ((n: number) => string)[] = [
  (n) =>
    `<!-- wp:heading -->\n<h2 class="wp-block-heading">Name ${n}</h2>\n<!-- /wp:heading -->\n\n${paragraph(`Words ${n}`)}`,
  (n) =>
    `<!-- wp:heading {"level":1} -->\n<h1>Long ${n}</h1>\n<!-- /wp:heading -->\n\n${paragraph(`First ${n}`)}\n\n<!-- wp:spacer {"height":"9px"} -->\n<div style="height:9px" aria-hidden="true" class="wp-block-spacer"></div>\n<!-- /wp:spacer -->\n\n<!-- wp:list -->\n<ul class="wp-block-list"><!-- wp:list-item -->\n<li>Item ${n}</li>\n<!-- /wp:list-item --></ul>\n<!-- /wp:list -->`,
  (n) => paragraph(`Alone ${n} <strong>strong</strong>`),
  (n) =>
    `<!-- wp:image {"sizeSlug":"large","className":"is-style-rounded"} -->\n<figure class="wp-block-image size-large is-style-rounded"><img src="/p${n}.png" alt="Picture ${n}"/><figcaption class="wp-element-caption">Caption ${n}</figcaption></figure>\n<!-- /wp:image -->`,
  (n) =>
    `<!-- wp:quote {"className":"is-style-large"} -->\n<blockquote class="wp-block-quote is-style-large"><!-- wp:paragraph -->\n<p>Quote ${n}</p>\n<!-- /wp:paragraph --><cite>Author ${n}</cite></blockquote>\n<!-- /wp:quote -->`,
  (n) => `<!-- wp:html -->\n<div class="map" data-zoom="${n}"><p>Custom ${n}</p></div>\n<!-- /wp:html -->`,
  (n) =>
    `<!-- wp:group {"layout":{"type":"constrained"}} -->\n<div class="wp-block-group">${paragraph(`Grouped ${n}`)}\n\n<!-- wp:spacer /-->\n\n${paragraph(`Second ${n}`)}</div>\n<!-- /wp:group -->`,
  (n) =>
    `<!-- wp:columns -->\n<div class="wp-block-columns"><!-- wp:column -->\n<div class="wp-block-column">${paragraph(`Column ${n}`)}</div>\n<!-- /wp:column --></div>\n<!-- /wp:columns -->`,
];

const between: readonly string[] = [
  '<!-- wp:spacer /-->',
  '<!-- wp:spacer {"height":"40px"} -->\n<div style="height:40px" aria-hidden="true" class="wp-block-spacer"></div>\n<!-- /wp:spacer -->',
  '<!-- wp:separator {"className":"is-style-wide"} -->\n<hr class="wp-block-separator has-alpha-channel-opacity is-style-wide"/>\n<!-- /wp:separator -->',
  '<!-- wp:more -->\n<!--more-->\n<!-- /wp:more -->',
  '<!-- wp:nextpage -->\n<!--nextpage-->\n<!-- /wp:nextpage -->',
  '<!-- wp:paragraph -->\n<p></p>\n<!-- /wp:paragraph -->',
  '<!-- wp:heading -->\n<h2></h2>\n<!-- /wp:heading -->',
  '<!-- wp:group -->\n<div class="wp-block-group"></div>\n<!-- /wp:group -->',
  '<!-- wp:group {"className":"gap"} -->\n<div class="wp-block-group gap"><!-- wp:spacer /--></div>\n<!-- /wp:group -->',
  '<!-- wp:html -->\n<!-- counter -->\n<!-- /wp:html -->',
  '<!-- wp:html -->\n<script>count(1 < 2 && "a")</script>\n<!-- /wp:html -->',
  '<!-- wp:html -->\n<a id="anchor"></a>\n<!-- /wp:html -->',
  '<!-- wp:acme/divider {"waves":3} /-->',
];

const gap = fc.constantFrom('\n\n', '\n\n', '\n', '\n\n\n', '');

/** Content of a page in blocks: neighbouring sections, with spacers, separators, groups, custom HTML or nothing between. */
export const contents: fc.Arbitrary<string> = fc
  .record({
    lead: fc.oneof({ weight: 4, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.constantFrom(...between) }),
    pieces: fc.array(
      fc.record({
        shown: fc.nat(shown.length - 1),
        after: fc.array(fc.tuple(gap, fc.constantFrom(...between)), { maxLength: 2 }),
        gap,
      }),
      { minLength: 2, maxLength: 5 },
    ),
  })
  .map(({ lead, pieces }) =>
    pieces.reduce(
      (raw, piece, n) => raw + shown[piece.shown]!(n + 1) + piece.after.map((one) => one.join('')).join('') + piece.gap,
      lead === '' ? '' : `${lead}\n\n`,
    ),
  );

/** A step of a user who edits sections. Numbers are taken modulo the number of choices. */
export type EditStep =
  | {
      readonly kind: 'edit';
      readonly section: number;
      readonly how: 'reword' | 'append' | 'add-paragraph' | 'drop-paragraph';
    }
  /** Types the original words again. */
  | { readonly kind: 'retype'; readonly section: number }
  /** Undoes one of the edits that can be undone. */
  | { readonly kind: 'undo'; readonly edit: number }
  | { readonly kind: 'publish' };

export const editSteps: fc.Arbitrary<EditStep[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('edit' as const),
        section: fc.nat(9),
        how: fc.constantFrom('reword' as const, 'append' as const, 'add-paragraph' as const, 'drop-paragraph' as const),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('retype' as const), section: fc.nat(9) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('undo' as const), edit: fc.nat(9) }) },
    { weight: 4, arbitrary: fc.constant({ kind: 'publish' as const }) },
  ),
  { minLength: 3, maxLength: 14 },
);

/** The text field that an editor would change; undefined: the section has no words. */
function wordsField({ fields }: Section): string | undefined {
  return ['body', 'quote', 'html', 'caption', 'heading'].find(
    (name) => typeof fields[name] === 'string' && /[a-z]/.test(fields[name].replaceAll(/<[^>]*>/g, '')),
  );
}

/** Fields of a section after an edit; null where that edit is none for it. @param n makes the words unique */
export function editedFields(section: Section, how: Extract<EditStep, { kind: 'edit' }>['how'], n: number) {
  const field = wordsField(section);
  if (field === undefined) return null;
  const words = section.fields[field] as string;
  if (how === 'add-paragraph' || how === 'drop-paragraph') {
    if (section.type !== 'text') return null;
    const paragraphs = words.split('\n\n');
    if (how === 'drop-paragraph' && paragraphs.length < 2) return null;
    const body = how === 'add-paragraph' ? [...paragraphs, `Paragraph ${n}`] : paragraphs.slice(0, -1);
    return { ...section.fields, body: body.join('\n\n') };
  }
  const changed =
    how === 'append' && field !== 'html'
      ? words.replace(/[A-Z][a-z]+ \d+/, (found) => `${found} and more ${n}`)
      : words.replace(/[A-Z][a-z]+(?= \d)/, `Reworded${'abcdefghij'[n % 10]}`);
  return changed === words ? null : { ...section.fields, [field]: changed };
}
