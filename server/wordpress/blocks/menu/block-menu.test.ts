import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainContext } from '#server/wordpress/blocks/block-context';
import { readBlockMenu, writeBlockMenu } from '#server/wordpress/blocks/menu/block-menu';
import { itemsOf } from '#server/wordpress/blocks/menu/menu-tree';
import type { NavigationItem } from '#server/core/site/content';

const site = 'https://a.example';
const context = {
  ...plainContext,
  toRemote: (href: string) => (href.startsWith('/') ? `${site}${href}/` : href),
  toLocal: (href: string) => href.replace(site, '').replace(/(?<=.)\/$/, ''),
};
const pages: Readonly<Record<string, number>> = { '/about': 12, '/shop': 13 };
const targetOf = (href: string) => ({
  url: context.toRemote(href),
  ...(pages[href] !== undefined && { entry: { type: 'page' as const, remoteId: pages[href] } }),
});
const read = (content: string) => readBlockMenu(content, context);
const items = (content: string) => itemsOf(read(content).nodes);
const write = (content: string, wanted: readonly NavigationItem[]) => writeBlockMenu(read(content), wanted, targetOf);

/** A menu as WordPress's editor writes it, three levels deep, with what is no item of ours. */
const MENU = `<!-- wp:navigation-link {"label":"About \\u003cem\\u003eus\\u003c/em\\u003e","type":"page","id":12,"url":"${site}/about/","kind":"post-type","className":"first"} /-->

<!-- wp:navigation-submenu {"label":"Shop","type":"page","id":13,"url":"${site}/shop/","kind":"post-type","isTopLevelItem":true} -->
<!-- wp:navigation-link {"label":"Cups","type":"category","id":4,"url":"${site}/category/cups/","kind":"taxonomy"} /-->

<!-- wp:navigation-submenu {"label":"Kilns","url":"${site}/kilns","kind":"custom","opensInNewTab":true} -->
<!-- wp:navigation-link {"label":"Wood","url":"${site}/kilns/wood","kind":"custom","rel":"nofollow","description":"Hot"} /-->
<!-- /wp:navigation-submenu -->
<!-- /wp:navigation-submenu -->

<!-- wp:page-list {"isNested":true} /-->

<!-- wp:home-link {"label":"Start"} /-->`;

const OURS: readonly NavigationItem[] = [
  { label: 'About us', href: '/about' },
  {
    label: 'Shop',
    href: '/shop',
    children: [
      { label: 'Cups', href: '/category/cups' },
      { label: 'Kilns', href: '/kilns', children: [{ label: 'Wood', href: '/kilns/wood' }] },
    ],
  },
  { label: 'Start', href: '/' },
];

describe('a menu of blocks', () => {
  it('is read with three levels, and written as it was where nothing changes', () => {
    expect(items(MENU)).toEqual(OURS);
    expect(read(MENU).hasOthers).toBe(true);
    expect(write(MENU, OURS)).toBe(MENU);
  });

  it('gains one block for an added item, and is restored when it is removed', () => {
    const [about, shop, start] = OURS as readonly [NavigationItem, NavigationItem, NavigationItem];
    const added = write(MENU, [about, shop, start, { label: 'New & "big" -- <b>', href: '/new' }]);
    const link = added.slice(MENU.length);
    expect(added.startsWith(MENU)).toBe(true);
    expect(link.match(/wp:/g)).toHaveLength(1);
    expect(link.slice(6, -4)).not.toMatch(/--|<|>/);
    expect(write(added, OURS)).toBe(MENU);
    const deep = { label: 'Gas', href: '/gas' };
    const kilns = { ...shop.children![1]!, children: [...shop.children![1]!.children!, deep] };
    const within = write(MENU, [about, { ...shop, children: [shop.children![0]!, kilns] }, start]);
    const at = within.indexOf('\n\n<!-- wp:navigation-link {"label":"Gas"');
    expect(within.slice(0, at) + within.slice(within.indexOf('/-->', at) + 4)).toBe(MENU);
  });

  it('changes of an item only its label or its address, and keeps its kind', () => {
    const renamed = write(MENU, [{ ...OURS[0]!, label: 'We' }, ...OURS.slice(1)]);
    expect(renamed).toBe(MENU.replace('About \\u003cem\\u003eus\\u003c/em\\u003e', 'We'));
    // A page whose address has changed is still that page.
    const moved = writeBlockMenu(read(MENU), [{ label: 'About us', href: '/we' }, ...OURS.slice(1)], (href) => ({
      url: context.toRemote(href),
      ...(href === '/we' && { entry: { type: 'page', remoteId: 12 } }),
    }));
    expect(moved).toBe(MENU.replace(`${site}/about/`, `${site}/we/`));
    const elsewhere = write(MENU, [{ label: 'About us', href: '/shop' }, ...OURS.slice(1)]);
    expect(elsewhere).toContain(
      '"type":"page","id":13,"url":"https://a.example/shop/","kind":"post-type","className":"first"} /-->',
    );
  });

  it('keeps what moves or stays, and other blocks, when items go', () => {
    const [about, shop, start] = OURS as readonly [NavigationItem, NavigationItem, NavigationItem];
    const cups = MENU.match(/<!-- wp:navigation-link {"label":"Cups".*?-->/)![0];
    const moved = write(MENU, [shop.children![0]!, { ...shop, children: [shop.children![1]!] }, start]);
    expect(moved.startsWith(cups)).toBe(true);
    expect(moved).not.toContain('About');
    expect(moved).toContain('<!-- wp:page-list {"isNested":true} /-->');
    expect(write(MENU, [])).toBe('<!-- wp:page-list {"isNested":true} /-->');
    const flat = write(MENU, [about, { label: 'Shop', href: '/shop' }, start]);
    expect(flat).toContain('<!-- wp:navigation-link {"label":"Shop","type":"page","id":13,');
    expect(items(flat)).toEqual([about, { label: 'Shop', href: '/shop' }, start]);
    const below = write('<!-- wp:home-link {"label":"Start"} /-->', [{ ...start, children: [about] }]);
    expect(items(below)).toEqual([{ ...start, children: [about] }]);
  });

  it('never breaks our own rules', () => {
    const link = (attributes: object) => `<!-- wp:navigation-link ${JSON.stringify(attributes)} /-->`;
    const bad = [link({ label: 'X', url: 'javascript:alert(1)' }), link({ label: 'Y' }), '<p>text</p>', '<!-- wp:'];
    expect(items(bad.join('\n'))).toEqual([]);
    const many = Array.from({ length: 70 }, (_, n) => link({ label: 'L'.repeat(90), url: `/${n}` })).join('\n');
    expect(items(many)).toHaveLength(60);
    expect(items(many)[0]!.label).toHaveLength(80);
    expect(write(many, items(many))).toBe(many);
  });

  it('becomes any requested menu, with nothing else touched', () => {
    const label = fc.stringMatching(/^[A-Za-z&<"'äé] ?[a-z0-9-]{0,6}$/).map((text) => text.trim());
    const href = fc.constantFrom('/about', '/shop', '/x', 'https://b.example/y', 'mailto:a@b.example', '#top');
    const menu: fc.Memo<NavigationItem[]> = fc.memo((depth) =>
      fc.array(
        fc
          .record({ label, href, children: depth > 1 ? menu(depth - 1) : fc.constant([]) })
          .map(({ children, ...item }) => (children.length > 0 ? { ...item, children } : item)),
        { maxLength: 4 },
      ),
    );
    fc.assert(
      fc.property(menu(3), menu(3), (before, after) => {
        const content = write('<!-- wp:search /-->', before);
        expect(items(content)).toEqual(before);
        const changed = write(content, after);
        expect(items(changed)).toEqual(after);
        expect(changed).toContain('<!-- wp:search /-->');
        expect(write(content, before)).toBe(content);
      }),
    );
  });
});
