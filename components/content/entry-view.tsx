import { Picture } from '#components/content/picture';
import { PostDate } from '#components/content/post-list';
import { SectionView } from '#components/content/section-view';
import { fieldMarks, type MarkField } from '#components/content/text/field-marks.ts';
import type { SiteContext } from '#components/content/site-context.ts';
import type { EntryDocument, EntryType } from '#server/core/site/content';
import { sectionsBeyondLimit } from '#server/markup/entry-markup-limit';

interface EntryViewProps {
  readonly type: EntryType;
  readonly document: EntryDocument;
  /** Epoch milliseconds; null if it was never published. */
  readonly publishedAt: number | null;
  readonly site: SiteContext;
}

interface PostHeadProps {
  readonly document: EntryDocument;
  /** Epoch milliseconds; null if it was never published. */
  readonly publishedAt: number | null;
  readonly site: SiteContext;
  readonly mark: MarkField;
}

function PostHead({ document, publishedAt, site, mark }: PostHeadProps) {
  const { title, excerpt, author, image } = document;
  return (
    <header className="site-post-head">
      <p className="site-byline">
        <PostDate time={publishedAt} language={site.language} />
        {author !== undefined && <span {...mark('author', 'line')}>{author}</span>}
      </p>
      <h1 {...mark('title', 'line')}>{title}</h1>
      {excerpt !== undefined && (
        <p className="site-lead" {...mark('excerpt', 'prose')}>
          {excerpt}
        </p>
      )}
      {image !== undefined && <Picture src={image} alt="" place="text" site={site} loadsFirst mark={mark('image')} />}
    </header>
  );
}

/** A page or post. A page without a hero has its title as heading. */
export function EntryView({ type, document, publishedAt, site }: EntryViewProps) {
  const hero = type === 'page' ? document.sections.find((section) => section.type === 'hero') : undefined;
  const mark = fieldMarks(site.root);
  // Sections beyond the limit for markup on one page are shown as plain text.
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
          hasMainHeading={section === hero}
          loadsFirst={type === 'page' && index === 0}
          isPlain={plain.has(section.id)}
        />
      ))}
    </article>
  );
}
