import { Markdown } from '#components/content/markdown';
import { PostList } from '#components/content/post-list';
import { CallToActionSection } from '#components/content/sections/call-to-action-section';
import { FaqSection } from '#components/content/sections/faq-section';
import { FeaturesSection } from '#components/content/sections/features-section';
import { Figure } from '#components/content/sections/figure';
import { FormSection } from '#components/content/sections/form-section';
import { GallerySection } from '#components/content/sections/gallery-section';
import { HtmlSection } from '#components/content/sections/html-section';
import { HeroSection } from '#components/content/sections/hero-section';
import { QuoteSection } from '#components/content/sections/quote-section';
import { SectionHeading } from '#components/content/sections/section-heading';
import type { SiteContext, SitePost } from '#lib/site/site-context';
import type { Section } from '#server/core/content';
import type { TypedSection } from '#server/core/section-fields';

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
  /** Whether it opens the page. */
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
