import { Markdown, SectionHeading } from '#components/content/section-parts';
import type { SectionDisplay, SectionProps } from '#components/content/section-props.ts';

function Content({ fields, site, mark, isPlain }: SectionProps<'text'>) {
  const content = (
    <>
      <SectionHeading heading={fields.heading} mark={mark} />
      <Markdown text={fields.body} site={site} mark={mark} isPlain={isPlain} />
    </>
  );
  if (fields.layout === undefined) return content;
  return (
    <div className="site-text" data-layout={fields.layout}>
      {content}
    </div>
  );
}

export const textView: SectionDisplay<'text'> = { Content };
