import { PostDate } from '#components/content/post-list';
import { SectionView } from '#components/content/section-view';
import type { SiteContext } from '#lib/site/site-context';
import { sectionsBeyondLimit } from '#server/markup/markdown';
import type { EntryDocument, EntryType } from '#server/core/content';

interface EntryViewProps {
  readonly type: EntryType;
  readonly document: EntryDocument;
  /** Epoch milliseconds. */
  readonly publishedAt: number | null;
  readonly site: SiteContext;
}

function PostHead({ document, publishedAt }: Pick<EntryViewProps, 'document' | 'publishedAt'>) {
  const { title, excerpt, author, image } = document;
  return (
    <header className="site-post-head">
      <p className="site-byline">
        <PostDate time={publishedAt} />
        {author !== undefined && <span>{author}</span>}
      </p>
      <h1>{title}</h1>
      {excerpt !== undefined && <p className="site-lead">{excerpt}</p>}
      {image !== undefined && <img src={image} alt="" width={1200} height={800} />}
    </header>
  );
}

/** A page or post. A page that does not open with a hero gets its title as heading. */
export function EntryView({ type, document, publishedAt, site }: EntryViewProps) {
  const opensWithHero = type === 'page' && document.sections[0]?.type === 'hero';
  const plain = sectionsBeyondLimit(document.sections);
  return (
    <article className={`site-entry site-entry-${type}`}>
      {type === 'post' && <PostHead document={document} publishedAt={publishedAt} />}
      {type === 'page' && !opensWithHero && (
        <header className="site-page-head">
          <h1>{document.title}</h1>
        </header>
      )}
      {document.sections.map((section, index) => (
        <SectionView
          key={section.id}
          section={section}
          site={site}
          isFirst={opensWithHero && index === 0}
          isPlain={plain.has(section.id)}
        />
      ))}
    </article>
  );
}
