import type { ReactNode } from 'react';
import { PostList } from '#components/content/post-list';
import type { SiteContext, SiteForms, SitePost } from '#components/content/site-context.ts';
import { designAttributes, designStyle } from '#components/content/design-style.ts';
import { SiteLogo } from '#components/content/site-logo';
import { siteAddress, siteHref, type SiteRoot } from '#components/content/text/site-href.ts';
import { siteTexts, type SiteTexts } from '#server/core/messages/site-texts';
import type { EntryDocument, EntryType, NavigationItem, SiteSettings } from '#server/core/site/content';
import type { Design } from '#server/core/site/design/design';
import { SiteNavigation } from '#components/content/site-navigation';
import { EntryView } from '#components/content/entry-view';

/** A page that exists: an entry, or the list of posts. */
type ShownPage =
  | {
      readonly kind: 'entry';
      readonly entry: SitePost & { readonly type: EntryType; readonly document: EntryDocument };
    }
  | { readonly kind: 'post-index' };

/** What is said where no page exists. */
interface MissingText {
  readonly heading: string;
  readonly body: string;
  /** Label of the link to the start page. Default: there is no link. */
  readonly home?: string;
}

/** Everything that a page of the site shows. */
export interface SiteScreenProps {
  readonly settings: SiteSettings;
  readonly navigation: readonly NavigationItem[];
  /** Null: the default design. */
  readonly design: Design | null;
  readonly posts: readonly SitePost[];
  readonly pictures: SiteContext['pictures'];
  /** Page at `segments`; null if none exists. */
  readonly page: ShownPage | null;
  /** Shown if no page exists. Default: the message that it was not found. */
  readonly missing?: MissingText;
  readonly root: SiteRoot;
  /** Parts of the path on the site: `about` and `team` for `/about/team`. */
  readonly segments: readonly string[];
  /** Data for sending forms; null if visitors' mail programs send them. */
  readonly forms: SiteForms | null;
  /** True if videos play on the page. Default false: they are links. */
  readonly hasPlayers?: boolean;
}

function PostIndex({ site }: { readonly site: SiteContext }) {
  return (
    <div className="site-entry">
      <header className="site-page-head">
        <h1>{site.texts.allPosts}</h1>
      </header>
      <div className="site-section">
        <PostList posts={site.posts} site={site} level={2} />
      </div>
    </div>
  );
}

function MissingPage({ root, missing }: { readonly root: SiteRoot; readonly missing: MissingText }) {
  return (
    <div className="site-entry">
      <header className="site-page-head">
        <h1>{missing.heading}</h1>
        <p className="site-lead">{missing.body}</p>
        {missing.home !== undefined && (
          <a className="site-button" href={siteAddress('/', root)}>
            {missing.home}
          </a>
        )}
      </header>
    </div>
  );
}

/** One page of the site with header, navigation and footer. */
export function SiteScreen(props: SiteScreenProps) {
  const {
    settings,
    navigation,
    design,
    posts,
    pictures,
    page,
    missing,
    root,
    segments,
    forms,
    hasPlayers = false,
  } = props;
  const entryId = page?.kind === 'entry' ? page.entry.id : '';
  const { language, contactEmail } = settings;
  const texts = siteTexts(language);
  const site = { root, posts, pictures, forms, hasPlayers, entryId, contactEmail, language, texts };
  return (
    <SiteLayout
      settings={settings}
      texts={texts}
      navigation={navigation}
      design={design}
      pictures={pictures}
      root={root}
      path={`/${segments.join('/')}`}
    >
      {page === null && <MissingPage root={root} missing={missing ?? texts.notFound} />}
      {page?.kind === 'post-index' && <PostIndex site={site} />}
      {page?.kind === 'entry' && (
        <EntryView
          type={page.entry.type}
          document={page.entry.document}
          publishedAt={page.entry.publishedAt}
          site={site}
        />
      )}
    </SiteLayout>
  );
}

interface SiteLayoutProps {
  readonly settings: SiteSettings;
  readonly texts: SiteTexts;
  readonly navigation: readonly NavigationItem[];
  readonly design: Design | null;
  readonly pictures: SiteContext['pictures'];
  readonly root: SiteRoot;
  /** Path of the displayed page, below the root: `/pricing`. */
  readonly path: string;
  readonly children: ReactNode;
}

/** The site around a page: its name, navigation and footer. */
function SiteLayout(props: SiteLayoutProps) {
  const { settings, texts, navigation, design, pictures, root, path, children } = props;
  const { siteName, tagline, contactEmail, footerText, accentColor, language } = settings;
  const hasLogo = design !== null && design.logo.light !== '';
  return (
    // Where the site is not the whole document, the document is in the language of the interface.
    <div
      className="site"
      lang={root === '' ? undefined : language}
      style={designStyle(design, accentColor)}
      {...designAttributes(design)}
    >
      <a className="site-skip" href="#content">
        {texts.skip}
      </a>
      <header className="site-header">
        <a className="site-name" href={siteHref('/', root)}>
          {hasLogo ? <SiteLogo design={design} name={siteName} site={{ root, pictures }} /> : siteName}
        </a>
        {design?.header.phoneMenu === 'button' && navigation.length > 0 && (
          <details className="site-menu">
            <summary>{texts.menu}</summary>
            <SiteNavigation items={navigation} label={texts.navigation} root={root} path={path} group="site-menu" />
          </details>
        )}
        <SiteNavigation items={navigation} label={texts.navigation} root={root} path={path} />
      </header>
      <main id="content">{children}</main>
      <footer className="site-footer">
        {design !== null && <FooterColumns columns={design.footer.columns} root={root} />}
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

interface FooterColumnsProps {
  readonly columns: Design['footer']['columns'];
  readonly root: SiteRoot;
}

/** The columns of links in the footer. */
function FooterColumns({ columns, root }: FooterColumnsProps) {
  if (columns.length === 0) return null;
  return (
    <div className="site-footer-columns">
      {columns.map(({ title, links }, index) => (
        <div key={index}>
          {title !== '' && <h2>{title}</h2>}
          <ul>
            {links.map(({ label, href }, place) => (
              <li key={place}>
                <a href={siteHref(href, root)}>{label}</a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  );
}
