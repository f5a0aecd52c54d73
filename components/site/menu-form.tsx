import { ArrowDown, ArrowUp, Menu as MenuIcon } from 'lucide-react';
import { useRef, useState } from 'react';
import { paths } from '#components/api/paths.ts';
import { useEntries } from '#components/workspace/entries.ts';
import { ItemList } from '#components/editor/panels/item-list';
import { LinkControl } from '#components/library/link-control';
import {
  labelFor,
  type Menu,
  type MenuPath,
  menuOfPages,
  targetProblem,
  withList,
  withMoved,
} from '#components/site/menu-model.ts';
import { type SiteDocumentEditor, useSiteDocument } from '#components/site/use-site-document.ts';
import { translator } from '#components/i18n.ts';
import { Button } from '#components/ui/buttons';
import { Field, formFieldStyle } from '#components/ui/fields';
import { Notice } from '#components/ui/notices';
import { Problem } from '#components/ui/dialogs/submit';
import { api } from '#components/api/api-client.ts';
import { useApi } from '#components/api/use-api.ts';
import { parseRedirects } from '#server/core/site/manual-redirects';
import type { HiddenMenuItem, NavigationItem } from '#server/core/site/content';
import type { JsonObject } from '#server/core/json';
import { MAX_NAVIGATION_ITEMS, MAX_NAVIGATION_LEVELS } from '#server/core/limits';

const tSectionPanel = translator('sectionPanel.list');

const t = translator('siteSettings.menu');

interface MenuReport {
  readonly items: Menu;
  readonly hidden: readonly HiddenMenuItem[];
  readonly revision: number;
}

/** Edits the menu of the site; see useSiteDocument. */
export function useMenu(): SiteDocumentEditor<Menu> {
  return useSiteDocument<Menu, MenuReport>({
    address: paths.navigation,
    read: ({ items }) => items,
    write: (items, _, ifRevision) =>
      api.request('PUT', '/api/content/navigation', { query: { ifRevision }, body: { items } }),
    rebase: (draft, before, stored) => (JSON.stringify(draft) === JSON.stringify(before) ? stored : draft),
    saved: t('saved'),
  });
}

interface MenuFormProps {
  readonly editor: SiteDocumentEditor<Menu>;
  /** Redirects that were set manually, in the format of the settings. */
  readonly redirects: string;
  /** True for a WordPress site, which has addresses that this server does not know. */
  readonly isInWordPress: boolean;
  readonly isReadOnly: boolean;
}

/** Items of the menu and of its submenus. */
export function MenuForm({ editor, redirects, isInWordPress, isReadOnly }: MenuFormProps) {
  const { draft, base, overtaken } = editor;
  const { entries = [] } = useEntries();
  const { data: former } = useApi(paths.redirects);
  const hidden = useApi(paths.navigation).data?.hidden ?? [];
  const [announcement, announce] = useState('');
  const list = useRef<HTMLDivElement>(null);
  if (draft === null || base === null) return null;
  // Paths without an entry that redirect to one.
  const others = new Set([...parseRedirects(redirects), ...(former?.items ?? [])].map(({ from }) => from));
  const markOf = ({ href }: NavigationItem, place: string) => {
    if (Object.keys(editor.problems).some((path) => path.startsWith(`${place}.`))) return t('wrong');
    const known = hidden.find((each) => each.href === href);
    if (known !== undefined) return t(`marks.${known.reason}`);
    const problem = targetProblem(href, entries, others);
    return problem === null || (isInWordPress && problem === 'nowhere') ? null : t(`marks.${problem}`);
  };
  if (isReadOnly) return <MenuView menu={base} />;
  const all = menuOfPages(entries);
  const addAll = () => {
    editor.change(() => all);
    announce(t('added', { count: all.length }));
    // The button disappears.
    list.current?.focus();
  };
  return (
    <div ref={list} tabIndex={-1} className="outline-none">
      {draft.length === 0 && (
        <div className="mb-4 rounded-xl border border-dashed border-rule-strong">
          <Notice
            title={t('none')}
            body={t('noneBody')}
            icon={<MenuIcon aria-hidden className="mb-2 size-7 stroke-[1.25] text-ink-3" />}
            {...(all.length > 0 && { action: { label: t('addAll'), run: addAll } })}
          />
        </div>
      )}
      <MenuItems items={draft} path={[]} label={t('items')} editor={editor} markOf={markOf} announce={announce} />
      {overtaken !== null && (
        <section aria-label={t('stored')} className="mt-5 rounded-lg border border-amber p-4 text-sm">
          <p className="mb-2">{t('stored')}</p>
          <MenuView menu={base} />
          <Button className="mt-3" onClick={editor.discard}>
            {t('take')}
          </Button>
        </section>
      )}
      <output aria-live="polite" className="sr-only">
        {announcement}
      </output>
    </div>
  );
}

/** A read-only menu. */
function MenuView({ menu }: { readonly menu: Menu }) {
  if (menu.length === 0) return <p className="text-sm text-ink-3">{t('empty')}</p>;
  return (
    <ul className="flex flex-col gap-1 text-sm">
      {menu.map(({ label, href, children = [] }, index) => (
        <li key={index} className="[overflow-wrap:anywhere]">
          {label} <span className="text-ink-3">{href}</span>
          {children.length > 0 && (
            <div className="mt-1 border-l border-rule pl-4">
              <MenuView menu={children} />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

interface MenuItemsProps {
  readonly items: Menu;
  readonly path: MenuPath;
  readonly label: string;
  readonly editor: SiteDocumentEditor<Menu>;
  /** Problem of the item at a path: `0.children.1`. */
  readonly markOf: (item: NavigationItem, place: string) => string | null;
  /** Announces a result to screen readers. */
  readonly announce: (text: string) => void;
}

const itemsOf = (list: readonly JsonObject[]) => list as unknown as Menu;
const itemOf = (item: JsonObject) => item as unknown as NavigationItem;

/** A list of menu items. Includes incomplete items, which are refused on saving. */
function MenuItems({ items, path, label, editor, markOf, announce }: MenuItemsProps) {
  const change = (make: (list: Menu) => Menu) => editor.change((menu) => withList(menu, path, make));
  const move = (from: number, to: number) => {
    const name = items[from]?.label ?? '';
    if (to < 0 || to >= items.length) return;
    change((list) => withMoved(list, from, to));
    announce(tSectionPanel('moved', { title: name, place: to + 1, count: items.length }));
  };
  const placeOf = (index: number) => [...path, index].join('.children.');
  return (
    <ItemList
      label={label}
      item={t('item')}
      max={MAX_NAVIGATION_ITEMS}
      value={items as unknown as readonly JsonObject[]}
      blank={() => ({ label: '', href: '' })}
      isComplete={() => true}
      titleOf={(item) => itemOf(item).label}
      markOf={(item, index) => markOf(itemOf(item), placeOf(index))}
      onList={(list) => change(() => itemsOf(list))}
      onItem={(at, field, value) =>
        change((list) => list.map((item, index) => (index === at ? { ...item, [field]: value } : item)))
      }
    >
      {(item, index, write) => (
        <>
          <ItemFields item={itemOf(item)} place={placeOf(index)} problems={editor.problems} write={write} />
          {(path.length === 0 || itemOf(item).children !== undefined) && path.length + 1 < MAX_NAVIGATION_LEVELS && (
            <MenuItems
              items={itemOf(item).children ?? []}
              path={[...path, index]}
              label={t('below', { name: itemOf(item).label })}
              editor={editor}
              markOf={markOf}
              announce={announce}
            />
          )}
          <div className="flex flex-wrap gap-2">
            <Button
              aria-disabled={index === 0}
              className="aria-disabled:opacity-35"
              onClick={() => move(index, index - 1)}
            >
              <ArrowUp aria-hidden className="size-4" />
              {t('up')}
            </Button>
            <Button
              aria-disabled={index === items.length - 1}
              className="aria-disabled:opacity-35"
              onClick={() => move(index, index + 1)}
            >
              <ArrowDown aria-hidden className="size-4" />
              {t('down')}
            </Button>
          </div>
        </>
      )}
    </ItemList>
  );
}

interface ItemFieldsProps {
  readonly item: NavigationItem;
  readonly place: string;
  readonly problems: Readonly<Record<string, string>>;
  readonly write: (field: string, value: string) => void;
}

/** Label and target of an item. */
function ItemFields({ item, place, problems, write }: ItemFieldsProps) {
  const { entries = [] } = useEntries();
  const problemAt = (field: string) => problems[`${place}.${field}`] ?? null;
  const invalid = (field: string) => (problemAt(field) === null ? undefined : true);
  return (
    <>
      <div>
        <Field label={t('label')}>
          {(ids) => (
            <input
              {...ids}
              aria-invalid={invalid('label')}
              autoComplete="off"
              value={item.label}
              onChange={({ target }) => write('label', target.value)}
              className={formFieldStyle}
            />
          )}
        </Field>
        <Problem text={problemAt('label')} className="mt-1 text-xs!" />
      </div>
      <div>
        <Field label={t('target')}>
          {(ids) => (
            <LinkControl
              {...ids}
              aria-invalid={invalid('href')}
              value={item.href}
              onChange={(href) => {
                const label = labelFor(item, href, entries);
                if (label !== item.label) write('label', label);
                write('href', href);
              }}
            />
          )}
        </Field>
        <Problem text={problemAt('href')} className="mt-1 text-xs!" />
      </div>
    </>
  );
}
