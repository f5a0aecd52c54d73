import { SectionHeading } from '#components/content/sections/section-heading';
import type { SectionFields } from '#server/core/section-fields';

/** Short points in columns. */
export function FeaturesSection({ fields }: { readonly fields: SectionFields<'features'> }) {
  const Title = fields.heading === undefined ? 'h2' : 'h3';
  return (
    <>
      <SectionHeading heading={fields.heading} intro={fields.intro} />
      <ul className="site-features">
        {fields.items.map((item, index) => (
          <li key={index}>
            <Title className="site-feature-title">{item.title}</Title>
            <p>{item.body}</p>
          </li>
        ))}
      </ul>
    </>
  );
}
