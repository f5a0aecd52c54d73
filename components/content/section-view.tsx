import type { ComponentProps } from 'react';
import { FormSection } from '#components/content/form-section';
import { Picture, withPictureSizes } from '#components/content/picture';
import { PostList } from '#components/content/post-list';
import { fieldMarks, type MarkField } from '#components/content/text/field-marks';
import { markdownToHtml, safeHtml } from '#components/content/text/safe-html';
import { isDraftRoot, type SiteContext, siteHref, type SitePost } from '#components/content/text/site-href';
import { editorStrings, siteStrings } from '#components/content/text/words';
import type { Section } from '#server/core/content';
import type { SectionFields, TypedSection } from '#server/core/section-fields';

function postsFor(posts: readonly SitePost[], count: number, tag: string | undefined): readonly SitePost[] {
  const wanted = tag?.toLowerCase();
  const tagged =
    wanted === undefined
      ? posts
      : posts.filter(({ document }) => document.tags?.some((name) => name.toLowerCase() === wanted));
  return tagged.slice(0, count);
}

interface SectionProps {
  readonly section: TypedSection;
  readonly site: SiteContext;
  readonly isFirst: boolean;
  readonly isSeenFirst: boolean;
  readonly isPlain: boolean;
}

function SectionContent({ section, site, isFirst, isSeenFirst, isPlain }: SectionProps) {
  const mark = fieldMarks(site.root);
  switch (section.type) {
    case 'hero':
      return (
        <HeroSection fields={section.fields} site={site} mark={mark} isFirst={isFirst} isSeenFirst={isSeenFirst} />
      );
    case 'text':
      return (
        <>
          <SectionHeading heading={section.fields.heading} mark={mark} />
          <Markdown text={section.fields.body} site={site} mark={mark} isPlain={isPlain} />
        </>
      );
    case 'image':
      return <Figure {...section.fields} field="" place="page" site={site} mark={mark} isFirst={isSeenFirst} />;
    case 'gallery':
      return <GallerySection fields={section.fields} site={site} mark={mark} isSeenFirst={isSeenFirst} />;
    case 'features':
      return <FeaturesSection fields={section.fields} mark={mark} />;
    case 'quote':
      return <QuoteSection fields={section.fields} mark={mark} />;
    case 'faq':
      return <FaqSection fields={section.fields} mark={mark} />;
    case 'call-to-action':
      return <CallToActionSection fields={section.fields} site={site} mark={mark} />;
    case 'form':
      // Nobody would get what it sends.
      if (site.forms === null && site.contactEmail === '' && !isDraftRoot(site.root)) return null;
      return (
        <>
          <SectionHeading heading={section.fields.heading} intro={section.fields.intro} mark={mark} />
          <FormSection fields={section.fields} site={site} mark={mark} id={section.id} />
        </>
      );
    case 'html':
      return <HtmlSection fields={section.fields} site={site} mark={mark} isPlain={isPlain} />;
    case 'posts-list':
      return (
        <>
          <SectionHeading heading={section.fields.heading} mark={mark} />
          <PostList
            posts={postsFor(site.posts, section.fields.count, section.fields.tag)}
            site={site}
            level={section.fields.heading === undefined ? 2 : 3}
          />
        </>
      );
  }
}

interface SectionViewProps {
  readonly section: Section;
  readonly site: SiteContext;
  /** True for the section with the heading of the page. */
  readonly isFirst: boolean;
  /** True for a section that visitors see without scrolling. */
  readonly isSeenFirst: boolean;
  /** Markup in it is shown as plain words: the page has too much of it. */
  readonly isPlain: boolean;
}

/** One section of an entry, with its id as its anchor. */
export function SectionView({ section, site, isFirst, isSeenFirst, isPlain }: SectionViewProps) {
  // Every write checks the fields against the type, see server/content/section-types.
  const typed = section as TypedSection;
  if (!isDraftRoot(site.root) && typed.type === 'html' && showsNothing(typed.fields)) return null;
  return (
    <section
      id={section.id}
      className={`site-section site-section-${section.type}`}
      {...(isDraftRoot(site.root) && { 'data-kind': section.type })}
    >
      <SectionContent section={typed} site={site} isFirst={isFirst} isSeenFirst={isSeenFirst} isPlain={isPlain} />
    </section>
  );
}

interface MarkdownProps {
  readonly text: string;
  readonly site: SiteContext;
  readonly mark: MarkField;
  /** Shown as it is written. */
  readonly isPlain: boolean;
}

/** Running text of a section. */
function Markdown({ text, site, mark, isPlain }: MarkdownProps) {
  // Safe: see markdownToHtml.
  const html = { __html: withPictureSizes(markdownToHtml(text, site.root, isPlain), site) };
  return <div className="site-prose" {...mark('body', 'markdown')} dangerouslySetInnerHTML={html} />;
}

interface MarkedProps<Type extends TypedSection['type']> {
  readonly fields: SectionFields<Type>;
  readonly mark: MarkField;
}

interface HeroSectionProps extends MarkedProps<'hero'> {
  readonly site: SiteContext;
  /** The first hero of a page holds its main heading. */
  readonly isFirst: boolean;
  readonly isSeenFirst: boolean;
}

/** The opening of a page, beside its picture where it has one. */
function HeroSection({ fields, site, mark, isFirst, isSeenFirst }: HeroSectionProps) {
  const { heading, subheading, image, imageAlt, ctaLabel, ctaHref, layout } = fields;
  const Heading = isFirst ? 'h1' : 'h2';
  return (
    <div className={image === undefined ? 'site-hero' : 'site-hero site-hero-pictured'} data-layout={layout}>
      <div className="site-hero-words">
        <Heading {...mark('heading', 'line')}>{heading}</Heading>
        {subheading !== undefined && (
          <p className="site-lead" {...mark('subheading', 'prose')}>
            {subheading}
          </p>
        )}
        {ctaLabel !== undefined && (
          <a className="site-button" href={siteHref(ctaHref ?? '/', site.root)} {...mark('ctaLabel', 'line')}>
            {ctaLabel}
          </a>
        )}
      </div>
      {image !== undefined && (
        <Picture
          src={image}
          alt={imageAlt ?? ''}
          place={layout === 'centered' ? 'page' : 'half'}
          site={site}
          isFirst={isSeenFirst}
          mark={mark('image')}
        />
      )}
    </div>
  );
}

/** Short points in columns. */
function FeaturesSection({ fields, mark }: MarkedProps<'features'>) {
  const Title = fields.heading === undefined ? 'h2' : 'h3';
  return (
    <>
      <SectionHeading heading={fields.heading} intro={fields.intro} mark={mark} />
      <ul className="site-features" data-layout={fields.layout} {...mark('items')}>
        {fields.items.map((item, index) => (
          <li key={index}>
            <Title className="site-feature-title" {...mark(`items.${index}.title`, 'line')}>
              {item.title}
            </Title>
            <p {...mark(`items.${index}.body`, 'prose')}>{item.body}</p>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Questions that open to their answers; works without scripts. */
function FaqSection({ fields, mark }: MarkedProps<'faq'>) {
  return (
    <>
      <SectionHeading heading={fields.heading} mark={mark} />
      <div className="site-faq" {...mark('items')}>
        {fields.items.map((item, index) => (
          <details key={index}>
            <summary {...mark(`items.${index}.question`, 'line')}>{item.question}</summary>
            <p {...mark(`items.${index}.answer`, 'prose')}>{item.answer}</p>
          </details>
        ))}
      </div>
    </>
  );
}

/** Someone's words, and whose. */
function QuoteSection({ fields: { quote, author, role }, mark }: MarkedProps<'quote'>) {
  return (
    <figure className="site-quote">
      <blockquote>
        <p {...mark('quote', 'prose')}>{quote}</p>
      </blockquote>
      {(author ?? '') !== '' && (
        <figcaption>
          <span {...mark('author', 'line')}>{author}</span>
          {(role ?? '') !== '' && (
            <span className="site-role" {...mark('role', 'line')}>
              {role}
            </span>
          )}
        </figcaption>
      )}
    </figure>
  );
}

interface CallToActionSectionProps extends MarkedProps<'call-to-action'> {
  readonly site: SiteContext;
}

function CallToActionSection({ fields, site, mark }: CallToActionSectionProps) {
  return (
    <div className="site-cta">
      <div>
        <h2 {...mark('heading', 'line')}>{fields.heading}</h2>
        {fields.body !== undefined && <p {...mark('body', 'prose')}>{fields.body}</p>}
      </div>
      <a className="site-button" href={siteHref(fields.buttonHref, site.root)} {...mark('buttonLabel', 'line')}>
        {fields.buttonLabel}
      </a>
    </div>
  );
}

/** Pictures in the first row of a gallery. */
const FIRST_IN_GALLERY = 3;

interface GallerySectionProps extends MarkedProps<'gallery'> {
  readonly site: SiteContext;
  readonly isSeenFirst: boolean;
}

/** Pictures side by side. */
function GallerySection({ fields, site, mark, isSeenFirst }: GallerySectionProps) {
  const { heading, layout } = fields;
  return (
    <>
      <SectionHeading heading={fields.heading} mark={mark} />
      <div
        className="site-gallery"
        data-layout={layout}
        {...(layout === 'row' && { role: 'region', 'aria-label': heading ?? siteStrings.pictures, tabIndex: 0 })}
        {...mark('images')}
      >
        {fields.images.map((image, index) => (
          <Figure
            key={index}
            {...image}
            field={`images.${index}`}
            place="column"
            site={site}
            mark={mark}
            isFirst={isSeenFirst && index < FIRST_IN_GALLERY}
          />
        ))}
      </div>
    </>
  );
}

interface FigureProps {
  readonly src: string;
  readonly alt: string;
  readonly caption?: string | undefined;
  /** Field that holds the picture; empty: the section itself does. */
  readonly field: string;
  readonly place: ComponentProps<typeof Picture>['place'];
  readonly site: SiteContext;
  readonly isFirst?: boolean;
  readonly mark: MarkField;
}

/** A picture with its caption. */
function Figure({ src, alt, caption, field, mark, ...shown }: FigureProps) {
  return (
    <figure>
      <Picture src={src} alt={alt} {...shown} mark={mark(field === '' ? 'src' : field)} />
      {caption !== undefined && caption !== '' && (
        <figcaption {...mark(field === '' ? 'caption' : `${field}.caption`, 'line')}>{caption}</figcaption>
      )}
    </figure>
  );
}

interface HtmlSectionProps extends MarkedProps<'html'> {
  readonly site: SiteContext;
  /** Shown as plain text. */
  readonly isPlain: boolean;
}

/** Tells whether an HTML section stands for what only a plugin or the CMS itself can show. */
function showsNothing({ html, block }: SectionFields<'html'>): boolean {
  return html === '' && block !== undefined;
}

/** Content no other section type can hold. */
function HtmlSection({ fields, site, mark, isPlain }: HtmlSectionProps) {
  if (showsNothing(fields)) {
    return (
      <div className="site-prose site-html" {...mark('html')}>
        <p className="site-notice" role="note">
          {editorStrings.notShown(fields.block ?? '')}
        </p>
      </div>
    );
  }
  // Safe: see safeHtml.
  return (
    <div
      className="site-prose site-html"
      {...mark('html')}
      dangerouslySetInnerHTML={{ __html: withPictureSizes(safeHtml(fields.html, site.root, isPlain), site) }}
    />
  );
}

interface SectionHeadingProps {
  readonly heading?: string | undefined;
  readonly intro?: string | undefined;
  readonly mark: MarkField;
}

/** The heading of a section, and the few words below it. */
function SectionHeading({ heading, intro, mark }: SectionHeadingProps) {
  if (heading === undefined && intro === undefined) return null;
  return (
    <header className="site-section-head">
      {heading !== undefined && <h2 {...mark('heading', 'line')}>{heading}</h2>}
      {intro !== undefined && (
        <p className="site-intro" {...mark('intro', 'prose')}>
          {intro}
        </p>
      )}
    </header>
  );
}
