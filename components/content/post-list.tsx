import { Picture } from '#components/content/picture';
import type { SiteContext, SitePost } from '#components/content/site-context.ts';
import { siteHref } from '#components/content/text/site-href.ts';
import { translator } from '#components/i18n.ts';

const t = translator('draftPreview');

interface PostDateProps {
  /** Publication of the post, in epoch milliseconds; null for a draft. */
  readonly time: number | null;
  /** Language tag of the site. */
  readonly language: string;
}

/** Publication date of a post, or a mark for a draft. In UTC, because the site is the same for all visitors. */
export function PostDate({ time, language }: PostDateProps) {
  if (time === null) return <span className="site-date">{t('draft')}</span>;
  return (
    <time className="site-date" dateTime={new Date(time).toISOString()}>
      {writtenDate(time, language)}
    </time>
  );
}

/** Formats by language: a list formats many dates, and few sites share a server. */
const dateFormats = new Map<string, Intl.DateTimeFormat>();

/** `12 May 2026`. English without a region has the order of Great Britain. */
function writtenDate(time: number, language: string): string {
  const locale = language === 'en' ? 'en-GB' : language;
  const options = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
  const format = dateFormats.get(locale) ?? new Intl.DateTimeFormat(locale, options);
  dateFormats.set(locale, format);
  return format.format(time);
}

interface PostListProps {
  readonly posts: readonly SitePost[];
  readonly site: SiteContext;
  /** Level of the titles. */
  readonly level: 2 | 3;
  /** `list`: one below the other; `titles`: dates and titles only. Default: in columns. */
  readonly layout?: 'list' | 'titles' | undefined;
}

/** Teasers of posts. */
export function PostList({ posts, site, level, layout }: PostListProps) {
  const Title = `h${level}` as const;
  if (posts.length === 0) return <p className="site-empty">{site.texts.noPosts}</p>;
  return (
    <ul className="site-posts" data-layout={layout}>
      {posts.map(({ id, document, publishedAt }) => (
        <li key={id}>
          {document.image !== undefined && layout !== 'titles' && (
            <Picture src={document.image} alt="" place="column" site={site} />
          )}
          <PostDate time={publishedAt} language={site.language} />
          <Title className="site-post-title">
            <a href={siteHref(`/blog/${document.slug}`, site.root)}>{document.title}</a>
          </Title>
          {document.excerpt !== undefined && layout !== 'titles' && <p>{document.excerpt}</p>}
        </li>
      ))}
    </ul>
  );
}
