import { SectionHeading } from '#components/content/section-parts';
import type { SectionDisplay, SectionProps } from '#components/content/section-props.ts';

/** Short items in columns. */
function Content({ fields, mark }: SectionProps<'features'>) {
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

export const featuresView: SectionDisplay<'features'> = { Content };
