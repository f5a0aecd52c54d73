import { EntryView } from '#components/content/entry-view';
import { PostList } from '#components/content/post-list';
import { SiteLayout } from '#components/content/site-layout';
import type { SitePost } from '#lib/site/site-context';
import type { SiteRoot } from '#lib/site/site-href';
import { siteStrings } from '#lib/strings/site';
import type { EntryDocument, EntryType, NavigationItem, SiteSettings } from '#server/core/content';

type ShownPage =
  | {
      readonly kind: 'entry';
      readonly entry: SitePost & { readonly type: EntryType; readonly document: EntryDocument };
    }
  | { readonly kind: 'post-index' };

interface SiteScreenProps {
  readonly settings: SiteSettings;
  readonly navigation: readonly NavigationItem[];
  readonly posts: readonly SitePost[];
  /** What is at `segments`; null where there is nothing. */
  readonly page: ShownPage | null;
  readonly root: SiteRoot;
  readonly segments: readonly string[];
}

function PostIndex({ posts, root }: Pick<SiteScreenProps, 'posts' | 'root'>) {
  return (
    <div className="site-entry">
      <header className="site-page-head">
        <h1>{siteStrings.allPosts}</h1>
      </header>
      <div className="site-section">
        <PostList posts={posts} root={root} level={2} />
      </div>
    </div>
  );
}

function NothingHere({ root }: Pick<SiteScreenProps, 'root'>) {
  return (
    <div className="site-entry">
      <header className="site-page-head">
        <h1>{siteStrings.notFound.heading}</h1>
        <p className="site-lead">{siteStrings.notFound.body}</p>
        <a className="site-button" href={root}>
          {siteStrings.notFound.home}
        </a>
      </header>
    </div>
  );
}

/** One address of the site, with everything around it. */
export function SiteScreen({ settings, navigation, posts, page, root, segments }: SiteScreenProps) {
  const site = { root, posts, contactEmail: settings.contactEmail };
  return (
    <SiteLayout settings={settings} navigation={navigation} root={root} path={`/${segments.join('/')}`}>
      {page === null && <NothingHere root={root} />}
      {page?.kind === 'post-index' && <PostIndex posts={posts} root={root} />}
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
