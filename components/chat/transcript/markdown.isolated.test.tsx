import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Markdown } from '#components/chat/transcript/markdown';
import { AllowedOrigins } from '#components/ui/safe-url.ts';
import { exfiltrationPayloads, foreignLinks } from '#tests/support/exfiltration';
import { corpus } from '#tests/support/hurtful-texts';
import { longAnswer } from '#tests/support/long-history';
import { markdownCases, markedTexts } from '#tests/support/markdown-cases';

const OWN = 'http://localhost:3000';
const EVIL = 'http://evil.example:8080';

const render = (text: string, { isOpen = false, allowed = [] as string[] } = {}) =>
  renderToStaticMarkup(
    <AllowedOrigins value={allowed}>
      <Markdown text={text} isOpen={isOpen} />
    </AllowedOrigins>,
  );

/** Every attribute of a piece of HTML that is not shown as text, with its value. */
function attributes(html: string): string[] {
  const tags = html.match(/<[a-z][^>]*>/gi) ?? [];
  return tags.flatMap((tag) =>
    [...tag.matchAll(/[\s"]([a-z:-]+)="([^"]*)"/gi)].map(([, name, value]) => `${name}=${value}`),
  );
}

/** An address that a browser resolves to this origin, with any content. */
function staysHere(attribute: string): boolean {
  const url = /^(?:src|href)=(.*)$/.exec(attribute)?.[1];
  return url !== undefined && URL.parse(url, OWN)?.origin === OWN;
}

beforeEach(() => vi.stubGlobal('window', { location: { origin: OWN } }));
afterEach(() => vi.unstubAllGlobals());

describe('markdown from a model', () => {
  describe.each([true, false])('while it is written: %s', (isOpen) => {
    it.each(Object.entries({ ...exfiltrationPayloads(EVIL), ...foreignLinks(EVIL) }))(
      'has no address of another site in any attribute: %s',
      (_, text) => {
        const html = render(text, { isOpen });
        for (const attribute of attributes(html).filter((each) => !staysHere(each))) {
          expect(attribute).not.toMatch(/evil\.example|SECRET/);
        }
        expect(html).not.toMatch(/<(?:script|style|iframe|object|embed|link|meta|base|form|video|audio)[\s>]/i);
      },
    );
  });

  it.each([
    ['an answer', longAnswer(1_500).join('')],
    ['tasks and a table', '- [x] done\n- [ ] not\n\n| a | b |\n|--:|:-:|\n| 1 | 2 |\n\n1. one\n\n   more'],
    ['signs of HTML as characters', 'a &lt;b&gt; c > d & e &nbsp; f\n\n> 1. *one* ~~two~~\n> 2. `&amp;`'],
  ])('draws %s without HTML as it does where HTML is read', (_, text) => {
    const comparable = (html: string) => html.replaceAll(/>\n+</g, '><');
    expect(comparable(render(text))).toBe(comparable(render(`<!-- HTML -->\n\n${text}`)));
  });

  describe.each([true, false])('while it is written: %s', (isOpen) => {
    it.each(markdownCases)('has the marks that the site shows: %s', (_, text, html) => {
      expect(markedTexts(render(text, { isOpen, allowed: ['https://x.example', 'http://www.x.example'] }))).toEqual(
        markedTexts(html),
      );
    });
  });

  it.each([true, false])('has no link within a link, while it is written: %s', (isOpen) => {
    const html = render('See [the draft[^1]](/preview/a).\n\n[^1]: A note.', { isOpen });
    expect(html).toContain('href="#user-content-fn-1"');
    expect(html).not.toMatch(/<a [^>]*>(?:(?!<\/a>).)*<a /);
  });

  it.each([true, false])('reads plain HTML, while it is written: %s', (isOpen) => {
    const html = render('A <b>bold</b> word.\n\nAnd <details><summary>more</summary>of it</details>', { isOpen });
    expect(html).toContain('A <b>bold</b> word.');
    expect(html).toContain('<details><summary>more</summary>of it</details>');
  });

  it('names the host of a hidden picture and of a link, independent of their text', () => {
    expect(render(`![the plan](${EVIL}/x.png)`)).toContain('Image not shown (from evil.example:8080): the plan');
    expect(render('![the plan](data:image/png;base64,AAAA)')).toContain('Image not shown');
    const link = render(`[https://good.example](${EVIL}/x)`);
    expect(link).toMatch(/<button[^>]*>https:\/\/good\.example<span[^>]*>\(evil\.example:8080\)<\/span><\/button>/);
  });

  it('shows pictures and opens links of this origin and the allowed ones', () => {
    const text = `![a](/images/mugs.svg) ![b](https://media.example/b.png) [c](https://media.example/c) [d](#here)`;
    const html = render(text, { allowed: ['https://media.example'] });
    expect(html).toContain('src="/images/mugs.svg"');
    expect(html).toContain('src="https://media.example/b.png"');
    expect(html).toMatch(/<a href="https:\/\/media\.example\/c" target="_blank" rel="noopener noreferrer nofollow"/);
    expect(html).toMatch(/<a href="#here" class/);
    expect(render(text)).not.toContain('"https://media.example');
  });

  it('links no other protocols than those of the web', () => {
    // The sanitizer lets the last two pass.
    for (const url of [
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'mailto:a@b.example',
      'irc://b',
    ]) {
      const html = render(`[x](${url}) <a href="${url}">y</a> ![z](${url})`);
      expect(html).not.toContain('<a ');
      expect(html).not.toContain('<img');
    }
  });
});

describe('markdown that was made to hurt', () => {
  const harmful = [
    'elements that never close',
    'marks in paragraphs',
    'marks behind an object',
    'templates',
    'emphasis that never closes',
    'opening brackets',
    'closing brackets',
    'comments',
    'an address of entities',
    'quotations',
    'quotations that go on',
    'headings',
  ];

  it.each(
    corpus.filter(({ name }) => harmful.includes(name)).map(({ kind, name, text }) => [kind, name, text] as const),
  )('freezes no tab: %s, %s', (_kind, _name, text) => {
    const before = process.cpuUsage();
    expect(render(text.slice(0, 40_000))).toContain('manuscript');
    // A fraction of that; without the limits these take minutes or overflow the stack.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
  });

  it('shows it as plain source text', () => {
    expect(render('*a_ '.repeat(5_000))).toContain('*a_ *a_');
    expect(render('> '.repeat(200))).toContain('&gt; &gt;');
    expect(
      render(
        Array.from({ length: 500 }, (_, n) => `a <b id=${n}>\n\n`)
          .join('')
          .replaceAll('\n\n', '\n'),
      ),
    ).toContain('&lt;b id=499&gt;');
  });
});
