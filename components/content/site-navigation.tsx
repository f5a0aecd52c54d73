import { type SiteRoot, siteHref } from '#lib/site-href';
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

/** The navigation; items with others below them open on click, without scripts. */
export function SiteNavigation({ items, root, path }: SiteNavigationProps) {
  if (items.length === 0) return null;
  return (
    <nav aria-label="Main">
      <ul className="site-nav">
        {items.map((item, index) => (
          <li key={index}>
            {item.children === undefined || item.children.length === 0 ? (
              <NavigationLink item={item} root={root} path={path} />
            ) : (
              <details name="site-nav">
                <summary>{item.label}</summary>
                <ul>
                  {item.children.map((child, childIndex) => (
                    <li key={childIndex}>
                      <NavigationLink item={child} root={root} path={path} />
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </li>
        ))}
      </ul>
    </nav>
  );
}
