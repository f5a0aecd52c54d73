import { siteHref, type SiteRoot } from '#components/content/text/site-href.ts';
import type { NavigationItem } from '#server/core/site/content';

interface SitePlace {
  readonly root: SiteRoot;
  readonly path: string;
}

interface SubmenuProps extends SitePlace {
  readonly items: readonly NavigationItem[];
}

interface SiteNavigationProps extends SubmenuProps {
  /** Name of the navigation, for screen readers. */
  readonly label: string;
  /** Name of the group of submenus, of which one is open at a time. Default: `site-nav`. */
  readonly group?: string;
}

interface NavigationLinkProps extends SitePlace {
  readonly item: NavigationItem;
}

function NavigationLink({ item, root, path }: NavigationLinkProps) {
  return (
    <a href={siteHref(item.href, root)} aria-current={item.href === path ? 'page' : undefined}>
      {item.label}
    </a>
  );
}

/** Items of the submenu of an item. The page of the item comes first, because a click on the item opens the submenu. */
function submenuItems({ label, href, children }: NavigationItem): readonly NavigationItem[] {
  const below = children ?? [];
  return href === '#' || below.some((child) => child.href === href) ? below : [{ label, href }, ...below];
}

/** Items of a submenu. Deeper levels are shown under their items, at any depth. */
function Submenu({ items, root, path }: SubmenuProps) {
  return (
    <ul>
      {items.map((item, index) => (
        <li key={index}>
          <NavigationLink item={item} root={root} path={path} />
          {hasChildren(item) && <Submenu items={item.children} root={root} path={path} />}
        </li>
      ))}
    </ul>
  );
}

function hasChildren(item: NavigationItem): item is NavigationItem & { readonly children: readonly NavigationItem[] } {
  return item.children !== undefined && item.children.length > 0;
}

/** The navigation; items with a submenu open it on click, without scripts. */
export function SiteNavigation({ items, label, root, path, group = 'site-nav' }: SiteNavigationProps) {
  if (items.length === 0) return null;
  return (
    <nav aria-label={label}>
      <ul className="site-nav">
        {items.map((item, index) => (
          <li key={index}>
            {hasChildren(item) ? (
              <details name={group}>
                <summary>{item.label}</summary>
                <Submenu items={submenuItems(item)} root={root} path={path} />
              </details>
            ) : (
              <NavigationLink item={item} root={root} path={path} />
            )}
          </li>
        ))}
      </ul>
    </nav>
  );
}
