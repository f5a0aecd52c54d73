import { type SiteRoot, siteHref } from '#lib/site/site-href';
import { siteStrings } from '#lib/strings/site';
import type { NavigationItem } from '#server/core/content';

interface SiteNavigationProps {
  readonly items: readonly NavigationItem[];
  readonly root: SiteRoot;
  readonly path: string;
}

function NavigationLink({ item, root, path }: { readonly item: NavigationItem } & Omit<SiteNavigationProps, 'items'>) {
  return (
    <a href={siteHref(item.href, root)} aria-current={item.href === path ? 'page' : undefined}>
      {item.label}
    </a>
  );
}

/** What opens below an item: first the page it leads to itself, which a click on it no longer does. */
function itemsBelow({ label, href, children }: NavigationItem): readonly NavigationItem[] {
  const below = children ?? [];
  return href === '#' || below.some((child) => child.href === href) ? below : [{ label, href }, ...below];
}

/** Items below another one. Those that have others below them show these under themselves, however deep. */
function Branch({ items, root, path }: SiteNavigationProps) {
  return (
    <ul>
      {items.map((item, index) => (
        <li key={index}>
          <NavigationLink item={item} root={root} path={path} />
          {hasChildren(item) && <Branch items={item.children} root={root} path={path} />}
        </li>
      ))}
    </ul>
  );
}

function hasChildren(item: NavigationItem): item is NavigationItem & { readonly children: readonly NavigationItem[] } {
  return item.children !== undefined && item.children.length > 0;
}

/** The navigation; items with others below them open on click, without scripts. */
export function SiteNavigation({ items, root, path }: SiteNavigationProps) {
  if (items.length === 0) return null;
  return (
    <nav aria-label={siteStrings.navigation}>
      <ul className="site-nav">
        {items.map((item, index) => (
          <li key={index}>
            {hasChildren(item) ? (
              <details name="site-nav">
                <summary>{item.label}</summary>
                <Branch items={itemsBelow(item)} root={root} path={path} />
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
