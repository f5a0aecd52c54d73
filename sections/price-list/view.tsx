import { SectionHeading, SectionNote } from '#components/content/section-parts';
import type { SectionDisplay, SectionProps } from '#components/content/section-props.ts';

/** What is offered, each with its price. */
function Content({ fields, mark }: SectionProps<'price-list'>) {
  const Title = fields.heading === undefined ? 'h2' : 'h3';
  return (
    <>
      <SectionHeading heading={fields.heading} intro={fields.intro} mark={mark} />
      <ul className="site-prices" data-layout={fields.layout} {...mark('items')}>
        {fields.items.map((item, index) => (
          <li key={index}>
            <Title className="site-item-title" {...mark(`items.${index}.title`, 'line')}>
              {item.title}
            </Title>
            <p className="site-price" {...mark(`items.${index}.price`, 'line')}>
              {item.price}
            </p>
            {item.body !== undefined && (
              <p className="site-item-text" {...mark(`items.${index}.body`, 'prose')}>
                {item.body}
              </p>
            )}
          </li>
        ))}
      </ul>
      <SectionNote note={fields.note} mark={mark} />
    </>
  );
}

export const priceListView: SectionDisplay<'price-list'> = { Content };
