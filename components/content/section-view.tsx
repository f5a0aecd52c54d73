import { PostList } from '#components/content/post-list';
import { markdownToHtml, safeHtml } from '#components/content/text/safe-html';
import { type SiteContext, siteHref, type SitePost, type SiteRoot } from '#components/content/text/site-href';
import { siteStrings } from '#components/content/text/words';
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
  readonly isPlain: boolean;
}

function SectionContent({ section, site, isFirst, isPlain }: SectionProps) {
  switch (section.type) {
    case 'hero':
      return <HeroSection fields={section.fields} site={site} isFirst={isFirst} />;
    case 'text':
      return (
        <>
          <SectionHeading heading={section.fields.heading} />
          <Markdown text={section.fields.body} root={site.root} isPlain={isPlain} />
        </>
      );
    case 'image':
      return <Figure {...section.fields} />;
    case 'gallery':
      return <GallerySection fields={section.fields} />;
    case 'features':
      return <FeaturesSection fields={section.fields} />;
    case 'quote':
      return <QuoteSection fields={section.fields} />;
    case 'faq':
      return <FaqSection fields={section.fields} />;
    case 'call-to-action':
      return <CallToActionSection fields={section.fields} site={site} />;
    case 'form':
      return <FormSection fields={section.fields} site={site} id={section.id} />;
    case 'html':
      return <HtmlSection fields={section.fields} site={site} isPlain={isPlain} />;
    case 'posts-list':
      return (
        <>
          <SectionHeading heading={section.fields.heading} />
          <PostList
            posts={postsFor(site.posts, section.fields.count, section.fields.tag)}
            root={site.root}
            level={section.fields.heading === undefined ? 2 : 3}
          />
        </>
      );
  }
}

interface SectionViewProps {
  readonly section: Section;
  readonly site: SiteContext;
  /** First section of the page. */
  readonly isFirst: boolean;
  /** Markup in it is shown as plain words: the page has too much of it. */
  readonly isPlain: boolean;
}

/** One section of an entry, with its id as its anchor. */
export function SectionView({ section, site, isFirst, isPlain }: SectionViewProps) {
  // Every write checks the fields against the type, see server/content/section-types.
  const typed = section as TypedSection;
  return (
    <section id={section.id} className={`site-section site-section-${section.type}`}>
      <SectionContent section={typed} site={site} isFirst={isFirst} isPlain={isPlain} />
    </section>
  );
}

interface MarkdownProps {
  readonly text: string;
  readonly root: SiteRoot;
  /** Shown as it is written. */
  readonly isPlain: boolean;
}

/** Running text of a section. */
function Markdown({ text, root, isPlain }: MarkdownProps) {
  // Safe: see markdownToHtml.
  return <div className="site-prose" dangerouslySetInnerHTML={{ __html: markdownToHtml(text, root, isPlain) }} />;
}

interface HeroSectionProps {
  readonly fields: SectionFields<'hero'>;
  readonly site: SiteContext;
  /** The first hero of a page holds its main heading. */
  readonly isFirst: boolean;
}

/** The opening of a page, beside its picture where it has one. */
function HeroSection({ fields, site, isFirst }: HeroSectionProps) {
  const { heading, subheading, image, imageAlt, ctaLabel, ctaHref } = fields;
  const Heading = isFirst ? 'h1' : 'h2';
  return (
    <div className={image === undefined ? 'site-hero' : 'site-hero site-hero-pictured'}>
      <div className="site-hero-words">
        <Heading>{heading}</Heading>
        {subheading !== undefined && <p className="site-lead">{subheading}</p>}
        {ctaLabel !== undefined && (
          <a className="site-button" href={siteHref(ctaHref ?? '/', site.root)}>
            {ctaLabel}
          </a>
        )}
      </div>
      {image !== undefined && <img src={image} alt={imageAlt ?? ''} width={1200} height={800} fetchPriority="high" />}
    </div>
  );
}

/** Short points in columns. */
function FeaturesSection({ fields }: { readonly fields: SectionFields<'features'> }) {
  const Title = fields.heading === undefined ? 'h2' : 'h3';
  return (
    <>
      <SectionHeading heading={fields.heading} intro={fields.intro} />
      <ul className="site-features">
        {fields.items.map((item, index) => (
          <li key={index}>
            <Title className="site-feature-title">{item.title}</Title>
            <p>{item.body}</p>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Questions that open to their answers; works without scripts. */
function FaqSection({ fields }: { readonly fields: SectionFields<'faq'> }) {
  return (
    <>
      <SectionHeading heading={fields.heading} />
      <div className="site-faq">
        {fields.items.map((item, index) => (
          <details key={index}>
            <summary>{item.question}</summary>
            <p>{item.answer}</p>
          </details>
        ))}
      </div>
    </>
  );
}

/** Someone's words, and whose. */
function QuoteSection({ fields: { quote, author, role } }: { readonly fields: SectionFields<'quote'> }) {
  return (
    <figure className="site-quote">
      <blockquote>
        <p>{quote}</p>
      </blockquote>
      {(author ?? '') !== '' && (
        <figcaption>
          {author}
          {(role ?? '') !== '' && <span>{role}</span>}
        </figcaption>
      )}
    </figure>
  );
}

interface CallToActionSectionProps {
  readonly fields: SectionFields<'call-to-action'>;
  readonly site: SiteContext;
}

function CallToActionSection({ fields, site }: CallToActionSectionProps) {
  return (
    <div className="site-cta">
      <div>
        <h2>{fields.heading}</h2>
        {fields.body !== undefined && <p>{fields.body}</p>}
      </div>
      <a className="site-button" href={siteHref(fields.buttonHref, site.root)}>
        {fields.buttonLabel}
      </a>
    </div>
  );
}

/** Pictures side by side. */
function GallerySection({ fields }: { readonly fields: SectionFields<'gallery'> }) {
  return (
    <>
      <SectionHeading heading={fields.heading} />
      <div className="site-gallery">
        {fields.images.map((image, index) => (
          <Figure key={index} {...image} />
        ))}
      </div>
    </>
  );
}

interface FigureProps {
  readonly src: string;
  readonly alt: string;
  readonly caption?: string | undefined;
}

/** A picture with its caption. */
function Figure({ src, alt, caption }: FigureProps) {
  return (
    <figure>
      <img src={src} alt={alt} loading="lazy" width={1200} height={800} />
      {caption !== undefined && caption !== '' && <figcaption>{caption}</figcaption>}
    </figure>
  );
}

interface HtmlSectionProps {
  readonly fields: SectionFields<'html'>;
  readonly site: SiteContext;
  /** Shown as plain text. */
  readonly isPlain: boolean;
}

/** Content no other section type can hold. */
function HtmlSection({ fields, site, isPlain }: HtmlSectionProps) {
  // Safe: see safeHtml.
  return (
    <div
      className="site-prose site-html"
      dangerouslySetInnerHTML={{ __html: safeHtml(fields.html, site.root, isPlain) }}
    />
  );
}

/** The heading of a section, and the few words below it. */
function SectionHeading({
  heading,
  intro,
}: {
  readonly heading?: string | undefined;
  readonly intro?: string | undefined;
}) {
  if (heading === undefined && intro === undefined) return null;
  return (
    <header className="site-section-head">
      {heading !== undefined && <h2>{heading}</h2>}
      {intro !== undefined && <p className="site-intro">{intro}</p>}
    </header>
  );
}

type Field = SectionFields<'form'>['fields'][number];

function FormField({ field, id }: { readonly field: Field; readonly id: string }) {
  const common = { id, name: field.label, required: field.required };
  return (
    <p className={field.kind === 'textarea' ? 'site-field site-field-wide' : 'site-field'}>
      <label htmlFor={id}>
        {field.label}
        {!field.required && <span> {siteStrings.optional}</span>}
      </label>
      {field.kind === 'textarea' ? (
        <textarea rows={6} {...common} />
      ) : (
        <input type={field.kind} autoComplete={field.kind === 'email' ? 'email' : undefined} {...common} />
      )}
    </p>
  );
}

interface FormSectionProps {
  readonly fields: SectionFields<'form'>;
  readonly site: SiteContext;
  readonly id: string;
}

/** A form that the visitor's own e-mail program sends to the site's contact address. */
function FormSection({ fields, site, id }: FormSectionProps) {
  const { contactEmail } = site;
  const subject = encodeURIComponent(fields.heading ?? fields.submitLabel);
  return (
    <>
      <SectionHeading heading={fields.heading} intro={fields.intro} />
      <form
        className="site-form"
        method="post"
        encType="text/plain"
        action={`mailto:${contactEmail}?subject=${subject}`}
      >
        {fields.fields.map((field, index) => (
          <FormField key={index} field={field} id={`${id}-${index}`} />
        ))}
        <p className="site-form-end">
          <button className="site-button" type="submit" disabled={contactEmail === ''}>
            {fields.submitLabel}
          </button>
          {contactEmail === '' && <span>{siteStrings.formUnconnected}</span>}
        </p>
      </form>
    </>
  );
}
