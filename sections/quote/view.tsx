import type { SectionDisplay, SectionProps } from '#components/content/section-props.ts';

/** A quotation with its author. */
function Content({ fields: { quote, author, role, layout }, mark }: SectionProps<'quote'>) {
  return (
    <figure className="site-quote" data-layout={layout}>
      <blockquote>
        <p {...mark('quote', 'prose')}>{quote}</p>
      </blockquote>
      {(author ?? '') !== '' && (
        <figcaption>
          <span {...mark('author', 'line')}>{author}</span>
          {(role ?? '') !== '' && (
            <span className="site-role" {...mark('role', 'line')}>
              {role}
            </span>
          )}
        </figcaption>
      )}
    </figure>
  );
}

export const quoteView: SectionDisplay<'quote'> = { Content };
