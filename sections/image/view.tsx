import { Figure } from '#components/content/section-parts';
import type { SectionDisplay, SectionProps } from '#components/content/section-props.ts';

function Content({ fields, site, mark, loadsFirst }: SectionProps<'image'>) {
  return <Figure {...fields} field="" place="page" site={site} mark={mark} loadsFirst={loadsFirst} />;
}

export const imageView: SectionDisplay<'image'> = { Content, pictures: ({ src }) => [src] };
