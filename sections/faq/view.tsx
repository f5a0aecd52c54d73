import { SectionHeading } from '#components/content/section-parts';
import type { SectionDisplay, SectionProps } from '#components/content/section-props.ts';

/** Questions that unfold their answers, which works without scripts; in a layout of its own each answer is shown. */
function Content({ fields, mark }: SectionProps<'faq'>) {
  if (fields.layout !== undefined) {
    const Question = fields.heading === undefined ? 'h2' : 'h3';
    return (
      <>
        <SectionHeading heading={fields.heading} mark={mark} />
        <div className="site-answers" data-layout={fields.layout} {...mark('items')}>
          {fields.items.map((item, index) => (
            <div key={index}>
              <Question className="site-item-title" {...mark(`items.${index}.question`, 'line')}>
                {item.question}
              </Question>
              <p className="site-item-text" {...mark(`items.${index}.answer`, 'prose')}>
                {item.answer}
              </p>
            </div>
          ))}
        </div>
      </>
    );
  }
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
