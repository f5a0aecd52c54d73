import { Picture } from '#components/content/picture';
import type { SiteAddresses, SitePost } from '#components/content/site-context.ts';
import { siteHref } from '#components/content/text/site-href.ts';
import { translator } from '#components/i18n.ts';
import { siteStrings } from '#components/content/text/site-texts.ts';

const t = translator('draftPreview');

/** In English and UTC, because the site is the same for all visitors. */
const dateFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

/** Publication date of a post, or a mark for a draft. `time`: epoch milliseconds. */
export function PostDate({ time }: { readonly time: number | null }) {
  if (time === null) return <span className="site-date">{t('draft')}</span>;
  return (
    <time className="site-date" dateTime={new Date(time).toISOString()}>
      {dateFormat.format(time)}
    </time>
  );
}

interface PostListProps {
  readonly posts: readonly SitePost[];
  readonly site: SiteAddresses;
  /** Level of the titles. */
  readonly level: 2 | 3;
}

/** Teasers of posts. */
export function PostList({ posts, site, level }: PostListProps) {
  const Title = `h${level}` as const;
  if (posts.length === 0) return <p className="site-empty">{siteStrings.noPosts}</p>;
  return (
    <ul className="site-posts">
      {posts.map(({ id, document, publishedAt }) => (
        <li key={id}>
          {document.image !== undefined && <Picture src={document.image} alt="" place="column" site={site} />}
          <PostDate time={publishedAt} />
          <Title className="site-post-title">
            <a href={siteHref(`/blog/${document.slug}`, site.root)}>{document.title}</a>
          </Title>
          {document.excerpt !== undefined && <p>{document.excerpt}</p>}
        </li>
      ))}
    </ul>
  );
}
