import { expect, it } from 'vitest';
import { menuOfPages, targetProblem, withList } from '#components/site/menu-model.ts';

const MENU = [
  { label: 'Home', href: '/' },
  { label: 'About', href: '/about', children: [{ label: 'Team', href: '/about/team' }] },
];

it('a menu list is changed at any depth, and an empty list of children is removed', () => {
  const added = { label: 'Shop', href: '/shop' };
  expect(withList(MENU, [], (list) => [...list, added])).toEqual([...MENU, added]);
  expect(withList(MENU, [0], (list) => [...list, added])[0]).toEqual({ ...MENU[0], children: [added] });
  expect(withList(MENU, [1, 0], (list) => [...list, added])[1]?.children?.[0]?.children).toEqual([added]);
  expect(withList(MENU, [1], () => [])).toEqual([MENU[0], { label: 'About', href: '/about' }]);
});

it.each([
  ['/', null],
  ['/about#team', null],
  ['/about/?from=menu', null],
  ['/new', 'draft'],
  ['/gone', 'nowhere'],
  ['/old', null],
  ['/blog', null],
  ['/feed.xml', null],
  ['https://example.org/gone', null],
  ['#prices', null],
  ['', null],
] as const)('the target %j: %s', (href, problem) => {
  const entries = [
    { path: '/', status: 'published' },
    { path: '/about', status: 'changed' },
    { path: '/new', status: 'draft' },
  ] as const;
  expect(targetProblem(href, entries, new Set(['/old']))).toBe(problem);
});

it('all published pages make a menu of two levels, the home page first', () => {
  const page = (id: string, path: string, more: object = {}) =>
    ({ id, type: 'page', title: id, path, status: 'published', ...more }) as const;
  const pages = [
    page('Shop', '/shop'),
    page('Mugs', '/shop/mugs', { parent: 'Shop' }),
    page('Blue', '/shop/mugs/blue', { parent: 'Mugs' }),
    page('About', '/about'),
    page('Not yet', '/not-yet', { status: 'draft' }),
    page('Of a draft', '/not-yet/below', { parent: 'Not yet' }),
    page('Lost', '/404'),
    page('Welcome', '/'),
    page('A post', '/blog/a-post', { type: 'post' }),
    page('Round', '/round', { parent: 'About' }),
  ];
  expect(menuOfPages(pages)).toEqual([
    { label: 'Welcome', href: '/' },
    { label: 'About', href: '/about', children: [{ label: 'Round', href: '/round' }] },
    { label: 'Of a draft', href: '/not-yet/below' },
    {
      label: 'Shop',
      href: '/shop',
      children: [
        { label: 'Blue', href: '/shop/mugs/blue' },
        { label: 'Mugs', href: '/shop/mugs' },
      ],
    },
  ]);
});
