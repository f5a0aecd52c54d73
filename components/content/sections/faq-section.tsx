import { SectionHeading } from '#components/content/sections/section-heading';
import type { SectionFields } from '#server/core/section-fields';

/** Questions that open to their answers; works without scripts. */
export function FaqSection({ fields }: { readonly fields: SectionFields<'faq'> }) {
  return (
    <>
      <SectionHeading heading={fields.heading} />
      <div className="site-faq">
        {fields.items.map((item, index) => (
          <details key={index}>
            <summary>{item.question}</summary>
            <p>{item.answer}</p>
          </details>
        ))}
      </div>
    </>
  );
}
