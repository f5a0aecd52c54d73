import clsx from 'clsx';
import { type ReactNode, useId } from 'react';
import type { FieldLabels } from '#components/editor/model/field-labels.ts';
import { blankItem, checkItem, type FormField } from '#components/editor/model/form-model.ts';
import { ItemList } from '#components/editor/panels/item-list';
import { LinkControl } from '#components/library/link-control';
import { RichTextEditor } from '#components/editor/rich-text/rich-text-editor';
import { translator } from '#components/i18n.ts';
import { PictureControl } from '#components/editor/pictures/picture-control';
import { TextsControl } from '#components/editor/panels/texts-control';
import { remainingCharacters, useTypedValue } from '#components/editor/model/typed-value.ts';
import { formFieldStyle } from '#components/ui/fields';
import { sentence } from '#components/ui/dialogs/submit';
import type { JsonObject, JsonValue } from '#server/core/json';
import { Toggle } from '#components/ui/controls/toggle';

const t = translator('sectionPanel');

/** Writes a value at a path of the form (`heading`, `items.2.question`); null leaves it out. */
type Write = (place: string, value: JsonValue | null) => void;

interface FormFieldsProps {
  readonly fields: readonly FormField[];
  /** Values by name of the field. */
  readonly values: Readonly<Record<string, JsonValue | undefined>>;
  /** Label and help of a field; names within a group have its name as a prefix: `seo.title`. */
  readonly labels: (name: string) => FieldLabels;
  /** Called only with values that the server accepts. */
  readonly write: Write;
  /** Prefix of the paths: `items.2.`. */
  readonly within?: string;
}

/** One control for each field of a form, in the order of its schema. */
export function FormFields({ fields, values, labels, write, within = '' }: FormFieldsProps) {
  return fields.map((field) => (
    <FieldControl
      key={field.name}
      field={field}
      value={values[field.name]}
      labels={labels}
      write={write}
      place={`${within}${field.name}`}
      onPicture={(description) => {
        const name = descriptionOf(field.name, fields);
        if (name !== undefined && (values[name] ?? '') === '') write(name, description);
      }}
    />
  ));
}

/** The field that describes a picture: `imageAlt` for `image`, else `alt`. */
function descriptionOf(name: string, fields: readonly FormField[]): string | undefined {
  return [`${name}Alt`, 'alt'].find((candidate) => fields.some((field) => field.name === candidate));
}

interface FieldControlProps {
  /** Label and help of a field; names within a group have its name as a prefix: `seo.title`. */
  readonly labels: (name: string) => FieldLabels;
  /** Called only with values that the server accepts. */
  readonly write: Write;
  readonly field: FormField;
  readonly value: JsonValue | undefined;
  /** Path of the field on the page, which the control names in `data-place`. */
  readonly place: string;
  /** Called with the description of a picture that was chosen from the library. */
  readonly onPicture: (description: string) => void;
}

function FieldControl({ field, value, labels, write, place, onPicture }: FieldControlProps) {
  const { name, kind, fields } = field;
  const fieldLabels = labels(name);
  const writeBelow: Write = (below, next) => write(`${name}.${below}`, next);
  if (kind === 'group') {
    return (
      <fieldset className="flex flex-col gap-4">
        <legend className="mb-3 text-sm font-medium">{fieldLabels.label}</legend>
        <FormFields
          fields={fields}
          values={itemOf(value)}
          labels={(below) => labels(`${name}.${below}`)}
          write={writeBelow}
          within={`${place}.`}
        />
      </fieldset>
    );
  }
  if (kind === 'list') {
    return (
      <ItemList
        label={fieldLabels.label}
        item={fieldLabels.item ?? fieldLabels.label}
        max={field.max}
        value={Array.isArray(value) ? value.map(itemOf) : []}
        blank={() => blankItem(fields)}
        isComplete={(item) => checkItem(fields, item).value !== undefined}
        titleOf={(item) => titleOf(fields, item, labels)}
        onList={(items) => write(name, items)}
        onItem={(index, below, next) => write(`${name}.${String(index)}.${below}`, next)}
      >
        {(item, index, writeItem) => (
          <FormFields
            fields={fields}
            values={item}
            labels={labels}
            write={writeItem}
            within={`${place}.${String(index)}.`}
          />
        )}
      </ItemList>
    );
  }
  return (
    <SingleField
      field={field}
      value={value}
      labels={fieldLabels}
      place={place}
      onChange={(next) => write(name, next)}
      onPicture={onPicture}
    />
  );
}

function itemOf(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

/** The first words of an item, as its name in the list. */
function titleOf(fields: readonly FormField[], item: JsonObject, labels: FormFieldsProps['labels']): string {
  const named = fields.filter(({ kind }) => kind === 'line' || kind === 'prose' || kind === 'choice');
  for (const { name, kind } of named) {
    const text = item[name];
    if (typeof text !== 'string' || text.trim() === '') continue;
    return kind === 'choice' ? (labels(name).choice?.(text) ?? text) : text;
  }
  return '';
}

interface SingleFieldProps {
  readonly field: FormField;
  readonly value: JsonValue | undefined;
  readonly labels: FieldLabels;
  readonly place: string;
  readonly onChange: (value: JsonValue | null) => void;
  readonly onPicture: (description: string) => void;
}

/** A field with a single value: its label, control, help text, and problem. */
function SingleField({ field, value, labels, place, onChange, onPicture }: SingleFieldProps) {
  const id = useId();
  const { shown, problem, change, touch } = useTypedValue(field, value, onChange);
  const text = typeof shown === 'string' ? shown : '';
  const rest = remainingCharacters(text, field.max);
  const isSwitch = field.kind === 'switch';
  const notes = [labels.help !== undefined && `${id}-help`, problem !== null && `${id}-problem`].filter(Boolean);
  const ids = {
    id,
    'aria-describedby': notes.length === 0 ? undefined : notes.join(' '),
    'aria-invalid': problem !== null || undefined,
  };
  return (
    <div data-place={place} onBlur={touch}>
      <div className={clsx('flex items-baseline gap-2', isSwitch ? 'justify-between' : 'mb-1')}>
        <label htmlFor={id} className="text-sm font-medium">
          {labels.label}
        </label>
        {field.isOptional && !isSwitch && <span className="text-xs text-ink-3">{t('field.optional')}</span>}
        {rest !== null && (
          <output htmlFor={id} className={clsx('ml-auto text-xs tabular-nums', rest < 0 ? 'text-red' : 'text-ink-3')}>
            {rest < 0 ? t('field.over', { over: -rest }) : t('field.left', { left: rest })}
          </output>
        )}
        {isSwitch && <Toggle {...ids} checked={shown === true} onCheckedChange={change} />}
      </div>
      <Control field={field} ids={ids} value={shown} labels={labels} onChange={change} onPicture={onPicture} />
      {labels.help !== undefined && (
        <p id={`${id}-help`} className="mt-1 text-xs text-ink-3">
          {labels.help}
        </p>
      )}
      {problem !== null && (
        <p id={`${id}-problem`} role="alert" className="mt-1 text-xs text-red">
          {sentence(problem)}
        </p>
      )}
    </div>
  );
}

interface ControlIds {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

interface ControlProps {
  readonly field: FormField;
  readonly labels: FieldLabels;
  readonly onPicture: (description: string) => void;
  readonly ids: ControlIds;
  readonly value: JsonValue;
  readonly onChange: (value: JsonValue) => void;
}

const areaStyle = clsx(formFieldStyle, 'block h-auto! resize-y py-2 [field-sizing:content]');

function Control({ field, ids, value, labels, onChange, onPicture }: ControlProps): ReactNode {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  switch (field.kind) {
    case 'switch':
    case 'group':
    case 'list':
      return null;
    case 'choice':
      return (
        <select
          {...ids}
          value={text}
          onChange={({ target }) => onChange(target.value)}
          className={clsx(formFieldStyle, 'px-2')}
        >
          {[...(field.isOptional ? [''] : []), ...field.choices].map((choice) => (
            <option key={choice} value={choice}>
              {labels.choice?.(choice) ?? choice}
            </option>
          ))}
        </select>
      );
    case 'number':
      return (
        <input
          {...ids}
          type="number"
          inputMode="numeric"
          min={field.min ?? undefined}
          max={field.max ?? undefined}
          value={text}
          onChange={({ target }) => onChange(target.value === '' ? '' : target.valueAsNumber)}
          className={clsx(formFieldStyle, 'max-w-28')}
        />
      );
    case 'image':
      return (
        <PictureControl {...ids} value={text} isOptional={field.isOptional} onChange={onChange} onPicture={onPicture} />
      );
    case 'link':
      return <LinkControl {...ids} value={text} onChange={onChange} />;
    case 'texts':
      return (
        <TextsControl
          {...ids}
          item={labels.item ?? labels.label}
          isTags={field.name === 'tags'}
          value={Array.isArray(value) ? value.map(String) : []}
          onChange={(list) => onChange([...list])}
        />
      );
    case 'line':
      return (
        <input {...ids} value={text} onChange={({ target }) => onChange(target.value)} className={formFieldStyle} />
      );
    case 'prose':
      return (
        <textarea
          {...ids}
          rows={3}
          value={text}
          onChange={({ target }) => onChange(target.value)}
          className={clsx(areaStyle, 'max-h-72')}
        />
      );
    case 'markdown':
      return (
        <RichTextEditor
          label={labels.label}
          aria-describedby={ids['aria-describedby']}
          isInvalid={ids['aria-invalid'] === true}
          value={text}
          onChange={onChange}
        />
      );
    case 'html':
      return (
        <textarea
          {...ids}
          rows={8}
          spellCheck={false}
          value={text}
          onChange={({ target }) => onChange(target.value)}
          className={clsx(areaStyle, 'max-h-96 font-mono text-xs')}
        />
      );
  }
}
