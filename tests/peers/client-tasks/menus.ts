import type { NavigationItem } from '#server/core/site/content';
import type { ClientSite, ClientTask } from '#tests/peers/support/client-site';

/* Changes of the main menu, three levels deep: About us › Team › History. */

type Change = (items: readonly NavigationItem[]) => NavigationItem[];

const changed =
  (change: Change) =>
  async ({ content, by }: ClientSite) =>
    content.setNavigation(change(await content.navigation()), by);

/** Changes the item of this label, on any level; null removes it. */
function withItem(label: string, change: (item: NavigationItem) => NavigationItem | null): Change {
  const within: Change = (items) =>
    items.flatMap((item) => {
      const { children, ...rest } = item;
      const below = within(children ?? []);
      const same = item.label === label ? change(item) : { ...rest, ...(below.length > 0 && { children: below }) };
      return same === null ? [] : [same];
    });
  return within;
}

const addBoard = changed((items) => [...items, { label: 'Our board & you', href: '/services' }]);
const addBelowTeam = changed(
  withItem('Team', (item) => ({ ...item, children: [{ label: 'First', href: '/about' }, ...(item.children ?? [])] })),
);
const renameHistory = changed(withItem('History', (item) => ({ ...item, label: 'Our story' })));
const removeShop = changed(withItem('Shop', () => null));
const removeAbout = changed(withItem('About us', () => null));

/** A page is moved to another address, and published. */
const moveAbout = async (site: ClientSite) => {
  await site.patch('about', [{ op: 'set', field: 'slug', value: 'who-we-are' }]);
  await site.publish('who-we-are');
};
const PAGE_MOVED = 'page about post_name: "about" > "who-we-are"';

const MENU = 'wp_navigation main post_content:';
const ABOUT = `submenu {"label":"About us","type":"page","id":7,"url":"{{url}}/about/","kind":"post-type","isTopLevelItem":true} -->
<!-- wp:navigation-submenu {"label":"Team","type":"page","id":8,"url":"{{url}}/about/team/","kind":"post-type"} -->
<!-- wp:navigation-link {"label":"History","type":"page","id":9,"url":"{{url}}/about/team/history/","kind":"post-type"} /-->
<!-- /wp:navigation-submenu -->
<!-- /wp:navigation-submenu -->

<!-- wp:navigation-`;

export const blockMenus: readonly ClientTask[] = [
  {
    name: 'an item is added at the end',
    run: addBoard,
    differences: [
      `${MENU} "" > "

<!-- wp:navigation-link {"label":"Our board \\u0026 you","type":"page","id":10,"url":"{{url}}/services/","kind":"post-type","isTopLevelLink":true} /-->"`,
    ],
  },
  {
    name: 'an item is added on the third level',
    run: addBelowTeam,
    differences: [
      `${MENU} "" > "First","type":"page","id":7,"url":"{{url}}/about/","kind":"post-type"} /-->

<!-- wp:navigation-link {"label":""`,
    ],
  },
  {
    name: 'an item of the third level is renamed',
    run: renameHistory,
    differences: [`${MENU} "History" > "Our story"`],
  },
  {
    name: 'an item goes',
    run: removeShop,
    differences: [
      `${MENU} "navigation-link {"label":"Shop","url":"https://shop.example.org/?a=1\\u0026b=2","kind":"custom","opensInNewTab":true,"isTopLevelLink":true} /-->

<!-- wp:" > ""`,
    ],
  },
  { name: 'an item goes with all below it', run: removeAbout, differences: [`${MENU} "${ABOUT}" > ""`] },
  {
    name: 'a page moves, and the menu follows it and those below it',
    run: moveAbout,
    differences: [PAGE_MOVED, ...Array.from({ length: 3 }, () => `${MENU} "about" > "who-we-are"`)],
  },
];

/** Rows of an item of a classic menu. */
function itemRows(sign: '+' | '-', name: string, meta: Readonly<Record<string, string>>): string[] {
  const item = `${sign} nav_menu_item ${name}`;
  const all = { classes: 'a:1:{i:0;s:0:"";}', target: '', url: '', xfn: '', menu_item_parent: '0', ...meta };
  return [
    item,
    `${item} in nav_menu Main menu`,
    ...Object.entries(all).map(([key, value]) => `${item} meta _menu_item_${key}: "${value}"`),
  ];
}

const pageItem = (id: string) => ({ type: 'post_type', object: 'page', object_id: id });
const SHOP = {
  type: 'custom',
  object: 'custom',
  url: 'https://shop.example.org/',
  target: '_blank',
  classes: 'a:1:{i:0;s:4:"shop";}',
};
const shopRows = (sign: '+' | '-') => [
  ...itemRows(sign, 'shop', SHOP),
  `${sign} nav_menu_item shop meta _menu_item_object_id: itself`,
];

export const classicMenus: readonly ClientTask[] = [
  {
    name: 'an item is added at the end',
    run: addBoard,
    differences: [...itemRows('+', 'our-board-you', pageItem('10')), 'nav_menu Main menu count: 5 > 6'],
  },
  {
    name: 'an item is added on the third level',
    run: addBelowTeam,
    differences: [
      ...itemRows('+', 'first', { ...pageItem('7'), menu_item_parent: '322' }),
      'nav_menu Main menu count: 5 > 6',
      // Those after it move on.
      'nav_menu_item 323 menu_order: 3 > 4',
      'nav_menu_item shop menu_order: 4 > 5',
      'nav_menu_item 325 menu_order: 5 > 6',
    ],
  },
  {
    name: 'an item of the third level is renamed',
    run: renameHistory,
    differences: [
      'nav_menu_item 323 post_title: "" > "Our story"',
      // WordPress writes a space if an item has no title.
      'nav_menu_item 323 post_content: " " > ""',
    ],
  },
  {
    name: 'a page moves, and the menu follows it',
    run: moveAbout,
    differences: [PAGE_MOVED],
  },
  {
    name: 'an item goes, and comes back as it was under another id',
    run: removeShop,
    differences: [...shopRows('-'), 'nav_menu Main menu count: 5 > 4'],
    left: [...shopRows('-'), ...shopRows('+')],
  },
];
