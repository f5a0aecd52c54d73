import { Figure } from '#components/content/section-parts';
import type { SectionDisplay, SectionProps } from '#components/content/section-props.ts';

function Content({ fields: { layout, ...picture }, site, mark, loadsFirst }: SectionProps<'image'>) {
  const place = layout === 'narrow' ? 'text' : 'page';
  const figure = <Figure {...picture} field="" place={place} site={site} mark={mark} loadsFirst={loadsFirst} />;
  if (layout === undefined) return figure;
  return (
    <div className="site-image" data-layout={layout}>
      {figure}
    </div>
  );
}

export const imageView: SectionDisplay<'image'> = { Content, pictures: ({ src }) => [src] };
