import { siteHref, type SitePost, type SiteRoot } from '#components/content/text/site-href';
import { siteStrings } from '#components/content/text/words';

const dateFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

/** Publication date of a post, or a mark for a draft. `time`: epoch milliseconds. */
export function PostDate({ time }: { readonly time: number | null }) {
  if (time === null) return <span className="site-date">{siteStrings.draft}</span>;
  return (
    <time className="site-date" dateTime={new Date(time).toISOString()}>
      {dateFormat.format(time)}
    </time>
  );
}

interface PostListProps {
  readonly posts: readonly SitePost[];
  readonly root: SiteRoot;
  /** Level of the titles. */
  readonly level: 2 | 3;
}

/** Teasers of posts. */
export function PostList({ posts, root, level }: PostListProps) {
  const Title = `h${level}` as const;
  if (posts.length === 0) return <p className="site-empty">{siteStrings.noPosts}</p>;
  return (
    <ul className="site-posts">
      {posts.map(({ id, document, publishedAt }) => (
        <li key={id}>
          {document.image !== undefined && <img src={document.image} alt="" loading="lazy" width={1200} height={800} />}
          <PostDate time={publishedAt} />
          <Title className="site-post-title">
            <a href={siteHref(`/blog/${document.slug}`, root)}>{document.title}</a>
          </Title>
          {document.excerpt !== undefined && <p>{document.excerpt}</p>}
        </li>
      ))}
    </ul>
  );
}
