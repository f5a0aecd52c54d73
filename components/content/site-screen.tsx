import type { ReactNode } from 'react';
import { Picture } from '#components/content/picture';
import { PostDate, PostList } from '#components/content/post-list';
import { SectionView } from '#components/content/section-view';
import { fieldMarks, type MarkField } from '#components/content/text/field-marks';
import {
  isDraftRoot,
  accentStyle,
  siteAddress,
  type SiteContext,
  type SiteForms,
  siteHref,
  type SitePost,
  type SiteRoot,
} from '#components/content/text/site-href';
import { siteStrings } from '#components/content/text/words';
import type { EntryDocument, EntryType, NavigationItem, SiteSettings } from '#server/core/content';
import { sectionsBeyondLimit } from '#server/markup/markdown';

type ShownPage =
  | {
      readonly kind: 'entry';
      readonly entry: SitePost & { readonly type: EntryType; readonly document: EntryDocument };
    }
  | { readonly kind: 'post-index' };

export interface SiteScreenProps {
  readonly settings: SiteSettings;
  readonly navigation: readonly NavigationItem[];
  readonly posts: readonly SitePost[];
  readonly pictures: SiteContext['pictures'];
  /** Page at `segments`; null: none. */
  readonly page: ShownPage | null;
  /** Shown where there is no page. Default: that it is not found. */
  readonly missing?: { readonly heading: string; readonly body: string; readonly home?: string };
  readonly root: SiteRoot;
  readonly segments: readonly string[];
  /** Data for sending forms; null: visitors' mail programs send them. */
  readonly forms: SiteForms | null;
}

function PostIndex({ site }: { readonly site: SiteContext }) {
  return (
    <div className="site-entry">
      <header className="site-page-head">
        <h1>{siteStrings.allPosts}</h1>
      </header>
      <div className="site-section">
        <PostList posts={site.posts} site={site} level={2} />
      </div>
    </div>
  );
}

function NothingHere({ root, missing = siteStrings.notFound }: Pick<SiteScreenProps, 'root' | 'missing'>) {
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
  const { settings, navigation, posts, pictures, page, missing, root, segments, forms } = props;
  const entryId = page?.kind === 'entry' ? page.entry.id : '';
  const site = { root, posts, pictures, forms, entryId, contactEmail: settings.contactEmail };
  return (
    <SiteLayout settings={settings} navigation={navigation} root={root} path={`/${segments.join('/')}`}>
      {page === null && <NothingHere root={root} {...(missing && { missing })} />}
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
  readonly navigation: readonly NavigationItem[];
  readonly root: SiteRoot;
  /** Path of the page shown, below the root: `/pricing`. */
  readonly path: string;
  readonly children: ReactNode;
}

/** The site around a page: its name, navigation and footer. */
function SiteLayout({ settings, navigation, root, path, children }: SiteLayoutProps) {
  const { siteName, tagline, contactEmail, footerText, accentColor } = settings;
  return (
    // Around the preview the language is that of the editor.
    <div className="site" lang={isDraftRoot(root) ? 'en' : undefined} style={accentStyle(accentColor)}>
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

/** Items that open below an item: first the page it leads to, because a click on it opens the list. */
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
function SiteNavigation({ items, root, path }: SiteNavigationProps) {
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

interface EntryViewProps {
  readonly type: EntryType;
  readonly document: EntryDocument;
  /** Epoch milliseconds. */
  readonly publishedAt: number | null;
  readonly site: SiteContext;
}

interface PostHeadProps extends Pick<EntryViewProps, 'document' | 'publishedAt' | 'site'> {
  readonly mark: MarkField;
}

function PostHead({ document, publishedAt, site, mark }: PostHeadProps) {
  const { title, excerpt, author, image } = document;
  return (
    <header className="site-post-head">
      <p className="site-byline">
        <PostDate time={publishedAt} />
        {author !== undefined && <span {...mark('author', 'line')}>{author}</span>}
      </p>
      <h1 {...mark('title', 'line')}>{title}</h1>
      {excerpt !== undefined && (
        <p className="site-lead" {...mark('excerpt', 'prose')}>
          {excerpt}
        </p>
      )}
      {image !== undefined && <Picture src={image} alt="" place="text" site={site} isFirst mark={mark('image')} />}
    </header>
  );
}

/** A page or post. A page without a hero gets its title as heading. */
export function EntryView({ type, document, publishedAt, site }: EntryViewProps) {
  const hero = type === 'page' ? document.sections.find((section) => section.type === 'hero') : undefined;
  const mark = fieldMarks(site.root);
  const plain = sectionsBeyondLimit(document.sections);
  return (
    <article className={`site-entry site-entry-${type}`}>
      {type === 'post' && <PostHead document={document} publishedAt={publishedAt} site={site} mark={mark} />}
      {type === 'page' && !hero && (
        <header className="site-page-head">
          <h1 {...mark('title', 'line')}>{document.title}</h1>
        </header>
      )}
      {document.sections.map((section, index) => (
        <SectionView
          key={section.id}
          section={section}
          site={site}
          isFirst={section === hero}
          isSeenFirst={type === 'page' && index === 0}
          isPlain={plain.has(section.id)}
        />
      ))}
    </article>
  );
}
