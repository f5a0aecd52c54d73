import fc from 'fast-check';

/**
 * Content of WordPress as people, plugins and old versions write it: blocks up to three deep, unknown ones, classic
 * text between, odd white space. Each of its visible words occurs once: `word12`.
 */
export interface ArbitraryContent {
  readonly raw: string;
  /** Words that visitors read, or hear in place of a picture. */
  readonly words: readonly string[];
}

/** A piece of markup in which `@` stands for a unique word. */
type Markup = fc.Arbitrary<string>;

const pick = (...markups: readonly string[]): Markup => fc.constantFrom(...markups);
const space = pick('\n\n', '\n\n', '\n', '', ' \n\n\n', '\r\n\r\n');
const gap = fc.oneof(
  { weight: 6, arbitrary: space },
  {
    weight: 1,
    arbitrary: pick(
      '\n\n<!-- wp:spacer {"height":"20px"} -->\n<div style="height:20px" aria-hidden="true" class="wp-block-spacer"></div>\n<!-- /wp:spacer -->\n\n',
      '\n\n<!-- wp:separator {"className":"is-style-dots"} -->\n<hr class="wp-block-separator is-style-dots"/>\n<!-- /wp:separator -->\n\n',
      '<!-- wp:nextpage -->\n<!--nextpage-->\n<!-- /wp:nextpage -->\n\n',
      '\n\n<!-- wp:more -->\n<!--more-->\n<!-- /wp:more -->',
    ),
  },
);

/** Running text with marks that markdown knows, and others. */
const inline = fc
  .array(
    pick(
      '@',
      '@ @',
      'x&nbsp;@ &amp; @',
      '<strong>@</strong>',
      '<em>@ @</em>',
      '<mark style="background-color:#ffd" class="has-inline-color">@</mark>',
      'H<sub>2</sub>O @',
      '<a href="https://example.org/?a=1&#038;b=2" target="_blank" rel="noreferrer noopener">@</a>',
      '<span style="color: #336699;">@ <b>@</b></span>',
      '@<br>@',
      '“@” – &hellip; @',
      '<code>@</code>',
      '<sup>@</sup>',
      '<strong class="acme-name">@ @</strong>',
      '<a class="acme-more" data-acme="1" href="/more">@</a>',
      '5 &lt; @',
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join(' '));

const block = (name: string, attributes: string, html: Markup) =>
  html.map((inside) => `<!-- wp:${name} ${attributes}-->\n${inside}\n<!-- /wp:${name} -->`);
const tagged = (tag: string, attributes: string, inside: Markup = inline) =>
  inside.map((html) => `<${tag}${attributes}>${html}</${tag.split(' ', 1).join('')}>`);

const paragraph = fc.oneof(
  block('paragraph', '', tagged('p', '')),
  block('paragraph', '{"align":"center","dropCap":true} ', tagged('p', ' class="has-text-align-center has-drop-cap"')),
  block(
    'paragraph',
    '{"style":{"color":{"text":"#224466"}}} ',
    tagged('p', ' class="has-text-color" style="color:#224466"'),
  ),
);
const heading = fc.oneof(
  block('heading', '', tagged('h2', '')),
  block('heading', '{"level":1,"className":"lead"} ', tagged('h1', ' class="lead" id="top"')),
  block(
    'heading',
    '{"level":4,"textAlign":"right"} ',
    tagged('h4', ' class="has-text-align-right"', pick('@', '@ <em>@</em>')),
  ),
);
const list = fc.oneof(
  block(
    'list',
    '{"className":"is-style-ticks"} ',
    fc
      .array(block('list-item', '', tagged('li', '')), { minLength: 1, maxLength: 3 })
      .map((items) => `<ul class="is-style-ticks">${items.join('\n\n')}</ul>`),
  ),
  block(
    'list',
    '',
    fc.array(tagged('li', ''), { minLength: 1, maxLength: 3 }).map((items) => `<ul>${items.join('')}</ul>`),
  ),
);
const picture = pick(
  '<figure class="wp-block-image alignright is-resized is-style-rounded"><img src="https://example.org/a.png" alt="@ @" class="wp-image-5" width="300" height="200"/><figcaption class="wp-element-caption">A <em>@</em> @</figcaption></figure>',
  '<figure class="wp-block-image"><a href="https://example.org/b"><img src="https://example.org/b.png" alt="@"/></a></figure>',
  '<figure class="wp-block-image size-full"><img src="https://example.org/c.png" alt="@"   /></figure>',
);
const image = block('image', '{"id":5,"sizeSlug":"large"} ', picture);
const gallery = block(
  'gallery',
  '{"columns":2} ',
  fc
    .array(image, { minLength: 1, maxLength: 3 })
    .map((images) => `<figure class="wp-block-gallery has-nested-images columns-2">${images.join('\n\n')}</figure>`),
);
const quote = fc.oneof(
  block(
    'quote',
    '{"className":"is-style-large"} ',
    fc
      .tuple(paragraph, pick('', '<cite>@, <em>@</em></cite>'))
      .map(([words, cite]) => `<blockquote class="wp-block-quote is-style-large">${words}${cite}</blockquote>`),
  ),
  block(
    'pullquote',
    '',
    pick('<figure class="wp-block-pullquote"><blockquote><p>@ @</p><cite>@</cite></blockquote></figure>'),
  ),
);
const table = block(
  'table',
  '{"className":"is-style-stripes"} ',
  pick(
    '<figure class="wp-block-table is-style-stripes"><table class="has-fixed-layout"><thead><tr><th>@</th><th class="has-text-align-right" data-align="right">@ @</th></tr></thead><tbody><tr><td>@<sup>*</sup></td><td class="has-text-align-right" data-align="right">@</td></tr></tbody></table><figcaption class="wp-element-caption">@</figcaption></figure>',
    '<figure class="wp-block-table"><table><tbody><tr><td>@</td><td>@ <strong>@</strong></td></tr></tbody></table></figure>',
  ),
);
const foreign = pick(
  `<!-- wp:acme/slider {"speed":3,"items":["a","b"],"note":"x \\u003c y"} -->\n<div class="wp-block-acme-slider"   data-x='1'><p>@   as it is. @</p><script>var a = "<p>not read</p>";</script><style>.a > .b { color: red }</style></div>\n<!-- /wp:acme/slider -->`,
  '<!-- wp:acme/badge {"tone":"warm"} -->\n<div class="wp-block-acme-badge" data-tone="warm"><svg viewBox="0 0 1 1"><path d="M0 0"/></svg><strong>@ at 1280°</strong></div>\n<!-- /wp:acme/badge -->',
  '<!-- wp:acme/void {"a":{"b":[1,2]}} /-->',
  '<!-- wp:html -->\n<details><summary>@</summary>@ <b>@</b>.<!-- a remark --></details>\n<!-- /wp:html -->',
  '<!-- wp:buttons -->\n<div class="wp-block-buttons"><!-- wp:button {"className":"is-style-outline"} -->\n<div class="wp-block-button is-style-outline"><a class="wp-block-button__link wp-element-button" href="https://example.org/">@ @</a></div>\n<!-- /wp:button --></div>\n<!-- /wp:buttons -->',
  '<!-- wp:media-text {"mediaId":5} -->\n<div class="wp-block-media-text alignwide is-stacked-on-mobile"><figure class="wp-block-media-text__media"><img src="https://example.org/m.png" alt="@" class="wp-image-5 size-full"/></figure><div class="wp-block-media-text__content"><!-- wp:paragraph {"fontSize":"large"} -->\n<p class="has-large-font-size">@ @</p>\n<!-- /wp:paragraph --></div></div>\n<!-- /wp:media-text -->',
  '<!-- wp:shortcode -->\n[acme_hours days="Sat"] @\n<!-- /wp:shortcode -->',
);
const classic = pick(
  '@ the old way,\n@ &mdash; <strong>@</strong>.\n\nAnd @.',
  '<p>@</p>\n\n<h3>@</h3>\n@ @',
  'Left <span style="color: red;">@</span>',
  '<ul>\n\t<li>@</li>\n\t<li>@ @</li>\n</ul>',
);
const simple = fc.oneof({ weight: 3, arbitrary: paragraph }, heading, list, image, gallery, quote, table, foreign);

function many(one: Markup, maxLength: number): Markup {
  const others = fc.array(fc.tuple(gap, one), { maxLength: maxLength - 1 });
  return fc.tuple(one, others).map(([first, rest]) => first + rest.flat().join(''));
}

/** Blocks around blocks, up to so many deep. */
function container(depth: number): Markup {
  const inside = depth <= 1 ? simple : fc.oneof({ weight: 2, arbitrary: simple }, container(depth - 1));
  return fc.oneof(
    block(
      'group',
      '{"backgroundColor":"pale-pink","layout":{"type":"constrained"}} ',
      many(inside, 3).map(
        (html) => `<div class="wp-block-group has-pale-pink-background-color has-background">${html}</div>`,
      ),
    ),
    block(
      'columns',
      '{"verticalAlignment":"center"} ',
      fc
        .array(
          block(
            'column',
            '{"width":"50%"} ',
            many(inside, 2).map((html) => `<div class="wp-block-column" style="flex-basis:50%">${html}</div>`),
          ),
          { minLength: 1, maxLength: 2 },
        )
        .map((columns) => `<div class="wp-block-columns are-vertically-aligned-center">${columns.join('\n\n')}</div>`),
    ),
    block(
      'cover',
      '{"url":"https://example.org/k.png","id":7,"dimRatio":40} ',
      many(inside, 3).map(
        (html) =>
          `<div class="wp-block-cover"><span aria-hidden="true" class="wp-block-cover__background has-background-dim"></span><img class="wp-block-cover__image-background wp-image-7" alt="" src="https://example.org/k.png" data-object-fit="cover"/><div class="wp-block-cover__inner-container">${html}</div></div>`,
      ),
    ),
  );
}

/** Content of so many top blocks at most. */
export function arbitraryBlocks(maxBlocks = 6): fc.Arbitrary<ArbitraryContent> {
  const top = fc.oneof(
    { weight: 4, arbitrary: simple },
    { weight: 3, arbitrary: container(3) },
    { weight: 1, arbitrary: classic.map((text) => `\n\n${text}\n\n`) },
  );
  return fc.tuple(pick('', '\n', '  \n'), many(top, maxBlocks), pick('', '\n', '\n\n ')).map((parts) => {
    const words: string[] = [];
    const raw = parts.join('').replaceAll('@', () => {
      words.push(`word${words.length + 100}`);
      return words.at(-1)!;
    });
    return { raw, words };
  });
}
