import { SectionHeading } from '#components/content/section-parts';
import type { SectionDisplay, SectionProps } from '#components/content/section-props.ts';

/** Steps in their order; the style sheet writes the numbers. */
function Content({ fields, mark }: SectionProps<'steps'>) {
  const Title = fields.heading === undefined ? 'h2' : 'h3';
  return (
    <>
      <SectionHeading heading={fields.heading} intro={fields.intro} mark={mark} />
      <ol className="site-steps" data-layout={fields.layout} {...mark('items')}>
        {fields.items.map((item, index) => (
          <li key={index}>
            <Title className="site-item-title" {...mark(`items.${index}.title`, 'line')}>
              {item.title}
            </Title>
            <p className="site-item-text" {...mark(`items.${index}.body`, 'prose')}>
              {item.body}
            </p>
          </li>
        ))}
      </ol>
    </>
  );
}

export const stepsView: SectionDisplay<'steps'> = { Content };
