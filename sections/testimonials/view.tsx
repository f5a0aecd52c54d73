import { SectionHeading } from '#components/content/section-parts';
import type { SectionDisplay, SectionProps } from '#components/content/section-props.ts';

/** What several people say, each with a name. */
function Content({ fields: { heading, items, layout }, mark }: SectionProps<'testimonials'>) {
  return (
    <>
      <SectionHeading heading={heading} mark={mark} />
      <ul className="site-testimonials" data-layout={layout} {...mark('items')}>
        {items.map(({ quote, author, role }, index) => (
          <li key={index}>
            <figure>
              <blockquote>
                <p {...mark(`items.${index}.quote`, 'prose')}>{quote}</p>
              </blockquote>
              {(author !== undefined || role !== undefined) && (
                <figcaption>
                  {author !== undefined && <span {...mark(`items.${index}.author`, 'line')}>{author}</span>}
                  {role !== undefined && (
                    <span className="site-role" {...mark(`items.${index}.role`, 'line')}>
                      {role}
                    </span>
                  )}
                </figcaption>
              )}
            </figure>
          </li>
        ))}
      </ul>
    </>
  );
}

export const testimonialsView: SectionDisplay<'testimonials'> = { Content };
