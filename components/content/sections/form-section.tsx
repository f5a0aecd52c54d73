import { SectionHeading } from '#components/content/sections/section-heading';
import type { SiteContext } from '#lib/site/site-context';
import { siteStrings } from '#lib/strings/site';
import type { SectionFields } from '#server/core/section-fields';

type Field = SectionFields<'form'>['fields'][number];

function FormField({ field, id }: { readonly field: Field; readonly id: string }) {
  const common = { id, name: field.label, required: field.required };
  return (
    <p className={field.kind === 'textarea' ? 'site-field site-field-wide' : 'site-field'}>
      <label htmlFor={id}>
        {field.label}
        {!field.required && <span> {siteStrings.optional}</span>}
      </label>
      {field.kind === 'textarea' ? (
        <textarea rows={6} {...common} />
      ) : (
        <input type={field.kind} autoComplete={field.kind === 'email' ? 'email' : undefined} {...common} />
      )}
    </p>
  );
}

interface FormSectionProps {
  readonly fields: SectionFields<'form'>;
  readonly site: SiteContext;
  readonly id: string;
}

/** A form that the visitor's own e-mail program sends to the site's contact address. */
export function FormSection({ fields, site, id }: FormSectionProps) {
  const { contactEmail } = site;
  const subject = encodeURIComponent(fields.heading ?? fields.submitLabel);
  return (
    <>
      <SectionHeading heading={fields.heading} intro={fields.intro} />
      <form
        className="site-form"
        method="post"
        encType="text/plain"
        action={`mailto:${contactEmail}?subject=${subject}`}
      >
        {fields.fields.map((field, index) => (
          <FormField key={index} field={field} id={`${id}-${index}`} />
        ))}
        <p className="site-form-end">
          <button className="site-button" type="submit" disabled={contactEmail === ''}>
            {fields.submitLabel}
          </button>
          {contactEmail === '' && <span>{siteStrings.formUnconnected}</span>}
        </p>
      </form>
    </>
  );
}
