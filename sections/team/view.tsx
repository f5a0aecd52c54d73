import { Picture } from '#components/content/picture';
import { SectionHeading } from '#components/content/section-parts';
import type { SectionDisplay, SectionProps } from '#components/content/section-props.ts';

/** People, each with a picture. */
function Content({ fields, site, mark }: SectionProps<'team'>) {
  const { heading, intro, items, layout } = fields;
  const Name = heading === undefined ? 'h2' : 'h3';
  return (
    <>
      <SectionHeading heading={heading} intro={intro} mark={mark} />
      <ul className="site-team" data-layout={layout} {...mark('items')}>
        {items.map(({ title, role, body, src, alt }, index) => (
          <li key={index}>
            {src !== undefined && (
              <Picture src={src} alt={alt ?? ''} place="column" site={site} mark={mark(`items.${index}.src`)} />
            )}
            <div>
              <Name className="site-item-title" {...mark(`items.${index}.title`, 'line')}>
                {title}
              </Name>
              {role !== undefined && (
                <p className="site-role" {...mark(`items.${index}.role`, 'line')}>
                  {role}
                </p>
              )}
              {body !== undefined && (
                <p className="site-item-text" {...mark(`items.${index}.body`, 'prose')}>
                  {body}
                </p>
              )}
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

export const teamView: SectionDisplay<'team'> = {
  Content,
  pictures: ({ items }) => items.map(({ src }) => src),
};
