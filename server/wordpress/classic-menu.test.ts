import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainContext } from '#server/wordpress/blocks/block-context';
import type { RemoteMenuItem } from '#server/wordpress/client/menus';
import { type MenuStep, planClassicMenu, readClassicMenu } from '#server/wordpress/classic-menu';
import { itemsOf } from '#server/wordpress/blocks/menu/menu-tree';
import type { NavigationItem } from '#server/core/site/content';

const plain = { opensIn: '', classes: [], relations: [], description: '', hint: '', isShown: true };
const link = (id: number, parent: number, order: number, title: string, more: Partial<RemoteMenuItem> = {}) =>
  ({
    ...plain,
    id,
    parent,
    order,
    title,
    url: `/${title}`,
    type: 'custom',
    object: 'custom',
    objectId: id,
    ...more,
  }) as RemoteMenuItem;
const MENU: readonly RemoteMenuItem[] = [
  link(1, 0, 1, 'about', { type: 'post_type', object: 'page', objectId: 12, classes: ['first'] }),
  link(2, 0, 2, 'shop'),
  link(3, 2, 3, 'cups', { type: 'taxonomy', object: 'category', objectId: 4, opensIn: '_blank' }),
  link(4, 3, 4, 'tall'),
  link(5, 0, 5, 'draft', { type: 'post_type', object: 'page', objectId: 14, isShown: false }),
  link(6, 0, 6, 'mail', { url: 'mailto:a@b.example' }),
];
const pages: Readonly<Record<string, number>> = { '/about': 12, '/team': 15 };
const targetOf = (href: string) => ({
  url: href,
  ...(pages[href] !== undefined && { entry: { type: 'page' as const, remoteId: pages[href] } }),
});

const read = (menu: readonly RemoteMenuItem[]) => readClassicMenu(menu, plainContext);
const plan = (items: readonly NavigationItem[], menu = MENU, former: readonly RemoteMenuItem[] = []) =>
  planClassicMenu(read(menu), items, menu, { former }, targetOf);

/** What WordPress makes of the steps. */
function after(menu: readonly RemoteMenuItem[], steps: readonly MenuStep[]): RemoteMenuItem[] {
  let next = menu.reduce((most, { id }) => Math.max(most, id), 100);
  const ids = new Map<string, number>();
  const idOf = (parent: number | string) => (typeof parent === 'number' ? parent : ids.get(parent)!);
  let result = [...menu];
  for (const step of steps) {
    if (step.op === 'remove') result = result.filter(({ id }) => id !== step.id);
    else if (step.op === 'create') {
      ids.set(step.key, (next += 1));
      const made = { ...plain, id: next, url: '', type: 'custom', object: '', objectId: 0, parent: idOf(step.parent) };
      const url = Object.keys(pages).find((path) => pages[path] === step.fields.objectId);
      result.push({ ...made, ...step.fields, ...(url && { url }) } as RemoteMenuItem);
    } else {
      const parent = step.parent === undefined ? {} : { parent: idOf(step.parent) };
      result = result.map((item) => (item.id === step.id ? { ...item, ...step.fields, ...parent } : item));
    }
  }
  return result;
}

const [about, shop, mail] = itemsOf(read(MENU)) as [NavigationItem, NavigationItem, NavigationItem];

describe('a classic menu', () => {
  it('has three levels, without what visitors do not see', () => {
    expect(shop).toEqual({
      label: 'shop',
      href: '/shop',
      children: [{ label: 'cups', href: '/cups', children: [{ label: 'tall', href: '/tall' }] }],
    });
    expect([about.label, mail.href]).toEqual(['about', 'mailto:a@b.example']);
    expect(plan([about, shop, mail])).toEqual([]);
  });

  it('gets one item more where one is added, and nothing else is written', () => {
    expect(plan([about, shop, mail, { label: 'Team', href: '/team' }])).toEqual([
      {
        op: 'create',
        key: 'new 1',
        parent: 0,
        fields: { title: 'Team', type: 'post_type', object: 'page', objectId: 15, order: 7 },
      },
    ]);
    // Those after it move on, past what visitors do not see.
    const between = plan([about, shop, { label: 'Team', href: '/team' }, mail]);
    expect(between.map((step) => ('fields' in step ? [step.op, step.fields.order] : step))).toEqual([
      ['create', 6],
      ['update', 7],
    ]);
  });

  it('keeps kind, target and classes of an item that is renamed, moved or led elsewhere', () => {
    expect(plan([{ ...about, label: 'We' }, shop, mail])).toEqual([{ op: 'update', id: 1, fields: { title: 'We' } }]);
    const cups = shop.children![0]!;
    expect(plan([about, { label: 'shop', href: '/shop' }, cups, mail])).toEqual([
      { op: 'update', id: 3, parent: 0, fields: {} },
    ]);
    expect(plan([about, { ...shop, href: '/about' }, mail])).toEqual([
      { op: 'update', id: 2, fields: { url: '/about' } },
    ]);
    expect(plan([{ label: 'about', href: 'https://b.example' }, shop, mail])).toEqual([
      { op: 'update', id: 1, fields: { title: 'about', type: 'custom', object: 'custom', url: 'https://b.example' } },
    ]);
  });

  it('loses the children of a removed item, and restores them', () => {
    const gone = plan([about, mail]);
    expect(gone).toEqual([4, 3, 2].map((id) => ({ op: 'remove', id })));
    const left = after(MENU, gone);
    const back = after(
      left,
      planClassicMenu(read(left), [about, shop, mail], left, { former: MENU, once: MENU }, targetOf),
    );
    expect(itemsOf(read(back))).toEqual([about, shop, mail]);
    const cups = back.find(({ title }) => title === 'cups');
    expect(cups).toMatchObject({ type: 'taxonomy', object: 'category', objectId: 4, opensIn: '_blank' });
  });

  it('becomes any requested menu', () => {
    const item = fc.record({
      label: fc.constantFrom('a', 'b', 'c', 'd'),
      href: fc.constantFrom('/about', '/x', '/y', '/z'),
    });
    const menu: fc.Memo<NavigationItem[]> = fc.memo((depth) =>
      fc.array(
        fc
          .tuple(item, depth > 1 ? menu(depth - 1) : fc.constant([]))
          .map(([each, children]) => (children.length > 0 ? { ...each, children } : each)),
        { maxLength: 4 },
      ),
    );
    fc.assert(
      fc.property(menu(3), menu(3), (first, second) => {
        const made = after([], planClassicMenu([], first, [], { former: [] }, targetOf));
        expect(itemsOf(read(made))).toEqual(first);
        const changed = after(made, planClassicMenu(read(made), second, made, { former: [] }, targetOf));
        expect(itemsOf(read(changed))).toEqual(second);
        expect(plan(second, changed)).toEqual([]);
      }),
    );
  });
});
