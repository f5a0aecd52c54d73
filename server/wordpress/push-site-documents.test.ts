import { describe, expect, it } from 'vitest';
import { plainContext } from '#server/blocks/block-context';
import { readMenu, writeMenu } from '#server/wordpress/push-site-documents';

const site = 'https://a.example';
const context = {
  ...plainContext,
  toRemote: (href: string) => (href.startsWith('/') ? `${site}${href}/` : href),
  toLocal: (href: string) => href.replace(site, '').replace(/(?<=.)\/$/, ''),
};

describe('menus of WordPress', () => {
  it('are ours again once they were written', () => {
    const items = [
      { label: 'Home -- "start" & <more>', href: '/home' },
      { label: 'About', href: '/about', children: [{ label: 'Team', href: '/about/team' }] },
      { label: 'Mail', href: 'mailto:a@b.example' },
    ];
    const content = writeMenu(items, { others: '', markup: new Map() }, context);
    // Nothing in an attribute may end the comment that it stands in.
    expect(content.match(/"label":".*?"/g)!.join('')).not.toMatch(/--|<|>/);
    expect(readMenu(content, context).items).toEqual(items);
  });

  it('keep blocks that are no items of ours', () => {
    const list = '<!-- wp:page-list {"isNested":true} /-->';
    const read = readMenu(`${list}<!-- wp:home-link {"label":"Start"} /-->`, context);
    expect(read).toMatchObject({ items: [{ label: 'Start', href: '/' }], others: list });
    expect(writeMenu(read.items, read, context)).toContain(list);
  });

  it('are byte for byte what they were once what was put in is gone again', () => {
    const own = '<!-- wp:navigation-link {"label":"Shop","url":"/shop","rel":"x"} /-->';
    const menu = `${own}\n\n<!-- wp:navigation-submenu {"label":"More"} --><!-- wp:page-list /--><!-- /wp:navigation-submenu -->`;
    const read = readMenu(menu, context);
    const longer = writeMenu([...read.items, { label: 'New', href: '/new' }], read, context);
    expect(writeMenu(read.items, readMenu(longer, context), context)).toBe(menu);
  });

  it('never break our own rules', () => {
    const link = (attributes: object) => `<!-- wp:navigation-link ${JSON.stringify(attributes)} /-->`;
    const bad = [
      link({ label: 'X', url: 'javascript:alert(1)' }),
      link({ label: 'No address' }),
      '<p>text</p>',
      '<!-- wp:',
    ];
    expect(readMenu(bad.join('\n'), context).items).toEqual([]);
    const many = Array.from({ length: 30 }, (_, n) => link({ label: 'L'.repeat(90), url: `/${n}` })).join('\n');
    const { items } = readMenu(many, context);
    expect(items).toHaveLength(20);
    expect(items[0]!.label).toHaveLength(80);
  });
});
