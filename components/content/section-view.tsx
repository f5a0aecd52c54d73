import { displayOf } from '#components/content/section-display.ts';
import type { SiteContext } from '#components/content/site-context.ts';
import { fieldMarks } from '#components/content/text/field-marks.ts';
import { isDraftRoot } from '#components/content/text/site-href.ts';
import type { Section } from '#server/core/site/content';

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
export function SectionView({ section, site, ...shown }: SectionViewProps) {
  const {
    fields,
    display: { Content, isHidden },
  } = displayOf(section);
  const isDraft = isDraftRoot(site.root);
  if (!isDraft && isHidden?.(fields) === true) return null;
  return (
    <section
      id={section.id}
      className={`site-section site-section-${section.type}`}
      {...(isDraft && { 'data-kind': section.type })}
    >
      <Content id={section.id} fields={fields} site={site} mark={fieldMarks(site.root)} {...shown} />
    </section>
  );
}
