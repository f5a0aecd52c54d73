import { SectionHeading } from '#components/content/section-parts';
import type { SectionDisplay, SectionProps } from '#components/content/section-props.ts';

/** Questions that unfold their answers; works without scripts. */
function Content({ fields, mark }: SectionProps<'faq'>) {
  return (
    <>
      <SectionHeading heading={fields.heading} mark={mark} />
      <div className="site-faq" {...mark('items')}>
        {fields.items.map((item, index) => (
          <details key={index}>
            <summary {...mark(`items.${index}.question`, 'line')}>{item.question}</summary>
            <p {...mark(`items.${index}.answer`, 'prose')}>{item.answer}</p>
          </details>
        ))}
      </div>
    </>
  );
}

export const faqView: SectionDisplay<'faq'> = { Content, questions: ({ items }) => items };
