import { Markdown, SectionHeading } from '#components/content/section-parts';
import type { SectionDisplay, SectionProps } from '#components/content/section-props.ts';

function Content({ fields, site, mark, isPlain }: SectionProps<'text'>) {
  return (
    <>
      <SectionHeading heading={fields.heading} mark={mark} />
      <Markdown text={fields.body} site={site} mark={mark} isPlain={isPlain} />
    </>
  );
}

export const textView: SectionDisplay<'text'> = { Content };
