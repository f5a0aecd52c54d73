import type { ReactNode } from 'react';
import { accentStyle } from '#lib/site/accent-style';
import { SiteNavigation } from '#components/content/site-navigation';
import { type SiteRoot, siteHref } from '#lib/site/site-href';
import { siteStrings } from '#lib/strings/site';
import type { NavigationItem, SiteSettings } from '#server/core/content';

interface SiteLayoutProps {
  readonly settings: SiteSettings;
  readonly navigation: readonly NavigationItem[];
  readonly root: SiteRoot;
  /** Path of the page shown, below the root: `/pricing`. */
  readonly path: string;
  readonly children: ReactNode;
}

/** The site around a page: its name, navigation and footer. */
export function SiteLayout({ settings, navigation, root, path, children }: SiteLayoutProps) {
  const { siteName, tagline, contactEmail, footerText, accentColor } = settings;
  return (
    <div className="site" style={accentStyle(accentColor)}>
      <a className="site-skip" href="#content">
        {siteStrings.skip}
      </a>
      <header className="site-header">
        <a className="site-name" href={siteHref('/', root)}>
          {siteName}
        </a>
        <SiteNavigation items={navigation} root={root} path={path} />
      </header>
      <main id="content">{children}</main>
      <footer className="site-footer">
        <div>
          <p className="site-name">{siteName}</p>
          {tagline !== '' && <p>{tagline}</p>}
        </div>
        <div>
          {footerText !== '' && <p>{footerText}</p>}
          {contactEmail !== '' && (
            <p>
              <a href={`mailto:${contactEmail}`}>{contactEmail}</a>
            </p>
          )}
        </div>
      </footer>
    </div>
  );
}
