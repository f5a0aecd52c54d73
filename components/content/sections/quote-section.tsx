import type { SectionFields } from '#server/core/section-fields';

/** Someone's words, and whose. */
export function QuoteSection({ fields: { quote, author, role } }: { readonly fields: SectionFields<'quote'> }) {
  return (
    <figure className="site-quote">
      <blockquote>
        <p>{quote}</p>
      </blockquote>
      {(author ?? '') !== '' && (
        <figcaption>
          {author}
          {(role ?? '') !== '' && <span>{role}</span>}
        </figcaption>
      )}
    </figure>
  );
}
