import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { Picture, withPictureSizes } from '#components/content/picture';

const facts = { id: 'ast_h7k2mp', version: '0123456789abcdef', width: 1_000, height: 500, mediaType: 'image/jpeg' };
const site = { root: '/site', pictures: { ast_h7k2mp: facts } } as const;
const ADDRESS = '/media/ast_h7k2mp/kiln.jpg';
const shown = (props: Partial<Parameters<typeof Picture>[0]>) =>
  renderToStaticMarkup(createElement(Picture, { src: ADDRESS, alt: 'A kiln', place: 'page', site, ...props }));

it('a picture of the library says how large it is, and comes in every width and format', () => {
  const html = shown({});
  const at = '/media/ast_h7k2mp/0123456789abcdef';
  expect(html).toContain(
    `<source type="image/avif" srcSet="${at}/400.avif 400w, ${at}/800.avif 800w, ${at}/1000.avif 1000w"`,
  );
  expect(html).toContain(`srcSet="${at}/400.webp 400w, ${at}/800.webp 800w, ${at}/1000.webp 1000w"`);
  expect(html).toMatch(/ width="1000" height="500" alt="A kiln" sizes="[^"]+" loading="lazy"/);
  expect(shown({ loadsFirst: true })).toContain('fetchPriority="high"');
  expect(shown({ loadsFirst: true })).not.toContain('loading="lazy"');
});

it('a part of it has its own size, and its point counts within that part', () => {
  const html = shown({ src: `${ADDRESS}#xywh=percent:50,0,50,100&focus=percent:60,50` });
  expect(html).toContain('/400-50-0-50-100.webp 400w');
  expect(html).toMatch(/ width="500" height="500"/);
  expect(html).toContain('object-position:20% 50%');
});

it('shows pictures that are animated or not in the library without variants', () => {
  expect(shown({ src: 'https://elsewhere.example/a.jpg' })).toMatch(
    /^<img src="https:\/\/elsewhere\.example\/a\.jpg" alt="A kiln"/,
  );
  const moving = { ...site, pictures: { ast_h7k2mp: { ...facts, mediaType: 'image/gif' } } };
  expect(shown({ site: moving })).toMatch(
    /^<img src="\/media\/ast_h7k2mp\/kiln\.jpg"[^>]* width="1000" height="500"\/>$/,
  );
});

it('pictures in running text get the same, and markup stays as safe as it was', () => {
  const html = `<p><img loading="lazy" src="${ADDRESS}#focus=percent:1,2&amp;x=&quot;&gt;" alt="&quot;&gt;&lt;b&gt;"><img src="/a.png"></p>`;
  const sized = withPictureSizes(html, { ...site, root: '/preview' });
  expect(sized).toContain('<picture><img src="/media/ast_h7k2mp/kiln.jpg#focus=percent:1,2&amp;x=&quot;&gt;" srcset="');
  expect(sized).toContain(
    'width="1000" height="500" loading="lazy"  alt="&quot;&gt;&lt;b&gt;"></picture><img src="/a.png">',
  );
});
