import { SectionHeading } from '#components/content/section-parts';
import type { SectionDisplay, SectionProps } from '#components/content/section-props.ts';
import type { MarkField, FieldMark } from '#components/content/text/field-marks.ts';
import type { SiteContext } from '#components/content/site-context.ts';
import { isDraftRoot } from '#components/content/text/site-href.ts';
import type { SiteTexts } from '#server/core/messages/site-texts';
import {
  type AnswerProblem,
  answerNames,
  formAddress,
  type FormFieldKind,
  MAX_ANSWER,
  OPENED_FIELD,
  HONEYPOT_FIELD,
} from '#server/core/site/site-forms';
import type { SectionFields } from '#server/core/site/section-fields';

function Content({ fields, site, mark, id }: SectionProps<'form'>) {
  // Not shown without a recipient for its messages.
  if (site.forms === null && site.contactEmail === '' && !isDraftRoot(site.root)) return null;
  const content = (
    <>
      <SectionHeading heading={fields.heading} intro={fields.intro} mark={mark} />
      <Form fields={fields} site={site} mark={mark} id={id} />
    </>
  );
  if (fields.layout === undefined) return content;
  return (
    <div className="site-form-frame" data-layout={fields.layout}>
      {content}
    </div>
  );
}

export const formView: SectionDisplay<'form'> = { Content };

interface FormProps {
  readonly fields: SectionFields<'form'>;
  readonly mark: MarkField;
  readonly site: SiteContext;
  /** Id of the section. */
  readonly id: string;
}

/**
 * A form that works without scripts. It posts to this server, which responds with the page: with thanks, or with the
 * values and their problems. If no server accepts it, the visitor's mail program sends it.
 */
function Form({ fields, site, mark, id }: FormProps) {
  const { forms, contactEmail, root } = site;
  const texts = site.texts.form;
  const state = forms?.state;
  const refused = state && 'refused' in state && state.refused.sectionId === id ? state.refused : null;
  const names = answerNames(fields.fields);
  const { heading, submitLabel } = fields;
  const mailto = `mailto:${contactEmail}?subject=${encodeURIComponent(heading ?? submitLabel)}`;
  const target = isDraftRoot(root)
    ? // A preview form, which is not sent.
      ({ method: 'dialog' } as const)
    : forms === null
      ? ({ method: 'post', encType: 'text/plain', action: mailto } as const)
      : ({ method: 'post', action: `${forms.origin}${formAddress(site.entryId, id)}` } as const);
  if (state && 'sent' in state && state.sent === id) {
    const { thanks = '' } = fields;
    return <output className="site-form-thanks">{thanks.trim() === '' ? texts.thanks : thanks}</output>;
  }
  return (
    <form className="site-form" {...target}>
      {refused && (
        <p className="site-form-problem" role="alert">
          {texts.refused[refused.problem]}
        </p>
      )}
      {fields.fields.map((field, index) => {
        const name = names[index] ?? '';
        return (
          <FormField
            key={name}
            field={field}
            id={`${id}-${String(index)}`}
            name={forms === null ? field.label : name}
            value={refused?.values[name]}
            problem={refused?.problems[name]}
            texts={site.texts}
            label={mark(`fields.${String(index)}.label`, 'line')}
          />
        );
      })}
      {forms !== null && !isDraftRoot(root) && (
        <>
          <input type="hidden" name={OPENED_FIELD} value={refused?.opened ?? forms.opened} />
          <p className="site-form-trap" aria-hidden="true">
            <label htmlFor={`${id}-trap`}>{texts.trap}</label>
            <input id={`${id}-trap`} name={HONEYPOT_FIELD} tabIndex={-1} autoComplete="off" />
          </p>
        </>
      )}
      <p className="site-form-end">
        <button className="site-button" type="submit" {...mark('submitLabel', 'line')}>
          {submitLabel}
        </button>
      </p>
    </form>
  );
}

interface FormFieldProps {
  readonly field: SectionFields<'form'>['fields'][number];
  readonly id: string;
  readonly name: string;
  /** Previously entered value. */
  readonly value: string | undefined;
  readonly problem: AnswerProblem | undefined;
  readonly texts: SiteTexts;
  /** Marks the field's label. */
  readonly label: FieldMark;
}

/** Attributes of the input elements, by kind of field. */
const inputs: Readonly<Partial<Record<FormFieldKind, object>>> = {
  text: { type: 'text' },
  email: { type: 'email', autoComplete: 'email' },
  phone: { type: 'tel', autoComplete: 'tel' },
  number: { type: 'number', step: 'any' },
  // A choice without options is a text field.
  choice: { type: 'text' },
};

function FormField({ field, id, name, value, problem, texts, label }: FormFieldProps) {
  const { kind, required, options = [] } = field;
  const errorId = `${id}-problem`;
  const common = {
    id,
    name,
    required,
    'aria-invalid': problem !== undefined || undefined,
    'aria-describedby': problem === undefined ? undefined : errorId,
  };
  const limited = { ...common, maxLength: MAX_ANSWER[kind], defaultValue: value };
  const words = (
    <>
      <span {...label}>{field.label}</span>
      {!required && <span className="site-optional"> {texts.optional}</span>}
    </>
  );
  const error = problem !== undefined && (
    <span id={errorId} className="site-field-problem">
      {texts.form.problems[problem]}
    </span>
  );
  if (kind === 'consent') {
    return (
      <p className="site-field site-field-wide site-field-consent">
        <input type="checkbox" value="yes" defaultChecked={value === 'yes'} {...common} />
        <label htmlFor={id}>{words}</label>
        {error}
      </p>
    );
  }
  return (
    <p className={kind === 'textarea' ? 'site-field site-field-wide' : 'site-field'}>
      <label htmlFor={id}>{words}</label>
      {kind === 'textarea' ? (
        <textarea rows={6} {...limited} />
      ) : kind === 'choice' && options.length > 0 ? (
        <select {...common} defaultValue={value ?? ''}>
          <option value="">{texts.form.choose}</option>
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      ) : (
        <input {...inputs[kind]} {...limited} />
      )}
      {error}
    </p>
  );
}
