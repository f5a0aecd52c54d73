import type { ComponentProps } from 'react';
import { Picture, withPictureSizes } from '#components/content/picture';
import type { SiteContext } from '#components/content/site-context.ts';
import type { MarkField } from '#components/content/text/field-marks.ts';
import { markdownToHtml } from '#components/content/text/safe-html.ts';

/* Elements that several kinds of sections show. */

interface SectionHeadingProps {
  readonly heading?: string | undefined;
  readonly intro?: string | undefined;
  readonly mark: MarkField;
}

/** The heading of a section, and the short text below it. */
export function SectionHeading({ heading, intro, mark }: SectionHeadingProps) {
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

interface SectionNoteProps {
  readonly note?: string | undefined;
  readonly mark: MarkField;
}

/** A remark below the items of a section. */
export function SectionNote({ note, mark }: SectionNoteProps) {
  if (note === undefined) return null;
  return (
    <p className="site-note" {...mark('note', 'prose')}>
      {note}
    </p>
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
export function Markdown({ text, site, mark, isPlain }: MarkdownProps) {
  // Safe: see markdownToHtml.
  const html = { __html: withPictureSizes(markdownToHtml(text, site.root, isPlain), site) };
  return <div className="site-prose" {...mark('body', 'markdown')} dangerouslySetInnerHTML={html} />;
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
export function Figure({ src, alt, caption, field, mark, ...shown }: FigureProps) {
  return (
    <figure>
      <Picture src={src} alt={alt} {...shown} mark={mark(field === '' ? 'src' : field)} />
      {caption !== undefined && caption !== '' && (
        <figcaption {...mark(field === '' ? 'caption' : `${field}.caption`, 'line')}>{caption}</figcaption>
      )}
    </figure>
  );
}
