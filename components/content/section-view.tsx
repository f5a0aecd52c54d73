import type { ComponentProps } from 'react';
import { FormSection } from '#components/content/form-section';
import { Picture, withPictureSizes } from '#components/content/picture';
import { PostList } from '#components/content/post-list';
import { fieldMarks, type MarkField } from '#components/content/text/field-marks.ts';
import { markdownToHtml, safeHtml } from '#components/content/text/safe-html.ts';
import type { SiteContext, SitePost } from '#components/content/site-context.ts';
import { isDraftRoot, siteHref } from '#components/content/text/site-href.ts';
import { editorStrings, siteStrings } from '#components/content/text/words.ts';
import { removedElements } from '#server/markup/removed-elements';
import type { Section } from '#server/core/site/content';
import type { SectionFields, TypedSection } from '#server/core/site/section-fields';

/** The newest posts with a tag, or of all posts. */
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
  readonly hasMainHeading: boolean;
  readonly loadsFirst: boolean;
  readonly isPlain: boolean;
}

function SectionContent({ section, site, hasMainHeading, loadsFirst, isPlain }: SectionProps) {
  const mark = fieldMarks(site.root);
  switch (section.type) {
    case 'hero':
      return (
        <HeroSection
          fields={section.fields}
          site={site}
          mark={mark}
          hasMainHeading={hasMainHeading}
          loadsFirst={loadsFirst}
        />
      );
    case 'text':
      return (
        <>
          <SectionHeading heading={section.fields.heading} mark={mark} />
          <Markdown text={section.fields.body} site={site} mark={mark} isPlain={isPlain} />
        </>
      );
    case 'image':
      return <Figure {...section.fields} field="" place="page" site={site} mark={mark} loadsFirst={loadsFirst} />;
    case 'gallery':
      return <GallerySection fields={section.fields} site={site} mark={mark} loadsFirst={loadsFirst} />;
    case 'features':
      return <FeaturesSection fields={section.fields} mark={mark} />;
    case 'quote':
      return <QuoteSection fields={section.fields} mark={mark} />;
    case 'faq':
      return <FaqSection fields={section.fields} mark={mark} />;
    case 'call-to-action':
      return <CallToActionSection fields={section.fields} site={site} mark={mark} />;
    case 'form':
      // Not shown without a recipient for its messages.
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
  /** True for the section with the page's main heading. */
  readonly hasMainHeading: boolean;
  /** True for a section that is visible without scrolling: its pictures load before others. */
  readonly loadsFirst: boolean;
  /** True if markup is shown as plain text, because the page has too much of it. */
  readonly isPlain: boolean;
}

/** One section of an entry, with its id as its anchor. */
export function SectionView({ section, site, hasMainHeading, loadsFirst, isPlain }: SectionViewProps) {
  // Every write validates the fields against the type, see server/site/section-types.
  const typed = section as TypedSection;
  if (!isDraftRoot(site.root) && typed.type === 'html' && showsNothing(typed.fields)) return null;
  return (
    <section
      id={section.id}
      className={`site-section site-section-${section.type}`}
      {...(isDraftRoot(site.root) && { 'data-kind': section.type })}
    >
      <SectionContent
        section={typed}
        site={site}
        hasMainHeading={hasMainHeading}
        loadsFirst={loadsFirst}
        isPlain={isPlain}
      />
    </section>
  );
}

interface MarkdownProps {
  readonly text: string;
  readonly site: SiteContext;
  readonly mark: MarkField;
  /** True if the text is shown as plain text. */
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
  /** True for the first hero of a page, which contains its main heading. */
  readonly hasMainHeading: boolean;
  readonly loadsFirst: boolean;
}

/** The opening of a page, next to its picture if it has one. */
function HeroSection({ fields, site, mark, hasMainHeading, loadsFirst }: HeroSectionProps) {
  const { heading, subheading, image, imageAlt, ctaLabel, ctaHref, layout } = fields;
  const Heading = hasMainHeading ? 'h1' : 'h2';
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
          loadsFirst={loadsFirst}
          mark={mark('image')}
        />
      )}
    </div>
  );
}

/** Short items in columns. */
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

/** Questions that unfold their answers; works without scripts. */
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

/** A quotation with its author. */
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

/** Number of pictures in the first row of a gallery. */
const FIRST_ROW_PICTURES = 3;

interface GallerySectionProps extends MarkedProps<'gallery'> {
  readonly site: SiteContext;
  readonly loadsFirst: boolean;
}

/** Pictures side by side. */
function GallerySection({ fields, site, mark, loadsFirst }: GallerySectionProps) {
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
            loadsFirst={loadsFirst && index < FIRST_ROW_PICTURES}
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
  /** Field of the picture; empty if the section itself contains it. */
  readonly field: string;
  readonly place: ComponentProps<typeof Picture>['place'];
  readonly site: SiteContext;
  readonly loadsFirst?: boolean;
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
  /** True if the HTML is shown as plain text. */
  readonly isPlain: boolean;
}

/** True for an HTML section whose content only a plugin or the CMS itself can render. */
function showsNothing({ html, block }: SectionFields<'html'>): boolean {
  return html === '' && block !== undefined;
}

/** Content that no other section type can represent. */
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
  const removed = isDraftRoot(site.root) ? removedElements(fields.html) : [];
  // Safe: see safeHtml.
  return (
    <>
      {removed.length > 0 && (
        <p className="site-notice" role="note">
          {editorStrings.removed(removed.map((name) => `<${name}>`).join(', '))}
        </p>
      )}
      <div
        className="site-prose site-html"
        {...mark('html')}
        dangerouslySetInnerHTML={{ __html: withPictureSizes(safeHtml(fields.html, site.root, isPlain), site) }}
      />
    </>
  );
}

interface SectionHeadingProps {
  readonly heading?: string | undefined;
  readonly intro?: string | undefined;
  readonly mark: MarkField;
}

/** The heading of a section, and the short text below it. */
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
