import clsx from 'clsx';
import { type ComponentProps, type ReactNode, useId, useState } from 'react';
import type { FieldWords } from '#components/editor/field-words';
import { blankItem, checkItem, type FormField } from '#components/editor/form-model';
import { ItemList } from '#components/editor/item-list';
import { LinkControl } from '#components/library/link-control';
import { MarkdownEditor } from '#components/editor/markdown-editor';
import { panelStrings } from '#components/editor/panel-words';
import { PictureControl } from '#components/editor/picture-control';
import { restOf, useTyped } from '#components/editor/typed-value';
import { formFieldLook } from '#components/ui/fields';
import { sentence } from '#components/ui/submit';
import type { JsonObject, JsonValue } from '#server/core/json';
import { Toggle } from '#components/ui/buttons';
import { X } from 'lucide-react';
import useSWR from 'swr';
import { paths } from '#components/api/paths';
import { passOnFocus } from '#components/ui/pass-on-focus';
import { isComposing } from '#components/ui/keys';

const say = panelStrings.field;

/** Writes a value at a place below the form (`heading`, `items.2.question`); null: it is left out. */
type Write = (place: string, value: JsonValue | null) => void;

interface FormFieldsProps {
  readonly fields: readonly FormField[];
  readonly values: Readonly<Record<string, JsonValue | undefined>>;
  readonly words: (name: string) => FieldWords;
  /** Called with values that the server takes, and with no others. */
  readonly write: Write;
  /** In front of the names of places: `items.2.`. */
  readonly within?: string;
}

/** One control for each field of a form, in the order of its schema. */
export function FormFields({ fields, values, words, write, within = '' }: FormFieldsProps) {
  return fields.map((field) => (
    <FieldControl
      key={field.name}
      field={field}
      value={values[field.name]}
      words={words}
      write={write}
      place={`${within}${field.name}`}
      onPicture={(description) => {
        const name = descriptionOf(field.name, fields);
        if (name !== undefined && (values[name] ?? '') === '') write(name, description);
      }}
    />
  ));
}

/** The field that describes a picture: `imageAlt` beside `image`, else `alt`. */
function descriptionOf(name: string, fields: readonly FormField[]): string | undefined {
  return [`${name}Alt`, 'alt'].find((candidate) => fields.some((field) => field.name === candidate));
}

interface FieldControlProps extends Pick<FormFieldsProps, 'words' | 'write'> {
  readonly field: FormField;
  readonly value: JsonValue | undefined;
  readonly place: string;
  /** A picture with this description was chosen. */
  readonly onPicture: (description: string) => void;
}

function FieldControl({ field, value, words, write, place, onPicture }: FieldControlProps) {
  const { name, kind, fields } = field;
  const said = words(name);
  const writeBelow: Write = (below, next) => write(`${name}.${below}`, next);
  if (kind === 'group') {
    return (
      <fieldset className="flex flex-col gap-4">
        <legend className="mb-3 text-sm font-medium">{said.label}</legend>
        <FormFields
          fields={fields}
          values={itemOf(value)}
          words={(below) => words(`${name}.${below}`)}
          write={writeBelow}
          within={`${place}.`}
        />
      </fieldset>
    );
  }
  if (kind === 'list') {
    return (
      <ItemList
        label={said.label}
        item={said.item ?? said.label}
        max={field.max}
        value={Array.isArray(value) ? value.map(itemOf) : []}
        blank={() => blankItem(fields)}
        isComplete={(item) => checkItem(fields, item).value !== undefined}
        titleOf={(item) => titleOf(fields, item)}
        onList={(items) => write(name, items)}
        onItem={(index, below, next) => write(`${name}.${String(index)}.${below}`, next)}
      >
        {(item, index, writeItem) => (
          <FormFields
            fields={fields}
            values={item}
            words={words}
            write={writeItem}
            within={`${place}.${String(index)}.`}
          />
        )}
      </ItemList>
    );
  }
  return (
    <Leaf
      field={field}
      value={value}
      words={said}
      place={place}
      onChange={(next) => write(name, next)}
      onPicture={onPicture}
    />
  );
}

function itemOf(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

/** The first words of an item, by which its line in the list is called. */
function titleOf(fields: readonly FormField[], item: JsonObject): string {
  const texts = fields.filter(({ kind }) => kind === 'line' || kind === 'prose').map(({ name }) => item[name]);
  return texts.find((text): text is string => typeof text === 'string' && text.trim() !== '') ?? '';
}

interface LeafProps {
  readonly field: FormField;
  readonly value: JsonValue | undefined;
  readonly words: FieldWords;
  readonly place: string;
  readonly onChange: (value: JsonValue | null) => void;
  readonly onPicture: (description: string) => void;
}

/** A label, its control, the help, and what is wrong. */
function Leaf({ field, value, words, place, onChange, onPicture }: LeafProps) {
  const id = useId();
  const { shown, problem, change, touch } = useTyped(field, value, onChange);
  const text = typeof shown === 'string' ? shown : '';
  const rest = restOf(text, field.max);
  const isSwitch = field.kind === 'switch';
  const notes = [words.help !== undefined && `${id}-help`, problem !== null && `${id}-problem`].filter(Boolean);
  const ids = {
    id,
    'aria-describedby': notes.length === 0 ? undefined : notes.join(' '),
    'aria-invalid': problem !== null || undefined,
  };
  return (
    <div data-place={place} onBlur={touch}>
      <div className={clsx('flex items-baseline gap-2', isSwitch ? 'justify-between' : 'mb-1')}>
        <label htmlFor={id} className="text-sm font-medium">
          {words.label}
        </label>
        {field.isOptional && !isSwitch && <span className="text-xs text-ink-3">{say.optional}</span>}
        {rest !== null && (
          <output htmlFor={id} className={clsx('ml-auto text-xs tabular-nums', rest < 0 ? 'text-red' : 'text-ink-3')}>
            {rest < 0 ? say.over(-rest) : say.left(rest)}
          </output>
        )}
        {isSwitch && <Toggle {...ids} checked={shown === true} onCheckedChange={change} />}
      </div>
      <Control field={field} ids={ids} value={shown} words={words} onChange={change} onPicture={onPicture} />
      {words.help !== undefined && (
        <p id={`${id}-help`} className="mt-1 text-xs text-ink-3">
          {words.help}
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

interface ControlProps extends Pick<LeafProps, 'field' | 'words' | 'onPicture'> {
  readonly ids: ControlIds;
  readonly value: JsonValue;
  readonly onChange: (value: JsonValue) => void;
}

const areaLook = clsx(formFieldLook, 'block h-auto! resize-y py-2 [field-sizing:content]');

function Control({ field, ids, value, words, onChange, onPicture }: ControlProps): ReactNode {
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
          className={clsx(formFieldLook, 'px-2')}
        >
          {[...(field.isOptional ? [''] : []), ...field.choices].map((choice) => (
            <option key={choice} value={choice}>
              {words.choices?.[choice] ?? choice}
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
          className={clsx(formFieldLook, 'max-w-28')}
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
          item={words.item ?? words.label}
          isTags={field.name === 'tags'}
          value={Array.isArray(value) ? value.map(String) : []}
          onChange={(texts) => onChange([...texts])}
        />
      );
    case 'line':
      return (
        <input {...ids} value={text} onChange={({ target }) => onChange(target.value)} className={formFieldLook} />
      );
    case 'prose':
      return (
        <textarea
          {...ids}
          rows={3}
          value={text}
          onChange={({ target }) => onChange(target.value)}
          className={clsx(areaLook, 'max-h-72')}
        />
      );
    case 'markdown':
      return (
        <MarkdownEditor
          label={words.label}
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
          className={clsx(areaLook, 'max-h-96 font-mono text-xs')}
        />
      );
  }
}

const textsWords = panelStrings.texts;

interface TextsControlProps extends Pick<ComponentProps<'input'>, 'id' | 'aria-describedby' | 'aria-invalid'> {
  /** One of them: `Tag`. */
  readonly item: string;
  /** Tags that are in use are offered, and a comma ends one. */
  readonly isTags: boolean;
  readonly value: readonly string[];
  readonly onChange: (texts: readonly string[]) => void;
}

/** A list of short texts: Enter adds one, Backspace in the empty field removes the last. */
function TextsControl({ item, isTags, value, onChange, ...ids }: TextsControlProps) {
  const [text, setText] = useState('');
  const suggestions = useId();
  const { data } = useSWR<{ readonly items: readonly { readonly tag: string }[] }>(isTags ? paths.tags : null);
  const add = () => {
    const parts = isTags ? text.split(',') : [text];
    const added = parts.flatMap((part) => part.trim() || []);
    setText('');
    if (added.length > 0) onChange([...new Set([...value, ...added])]);
  };
  return (
    <>
      {value.length > 0 && (
        <ul aria-label={item} className="mb-1.5 flex flex-wrap gap-1">
          {value.map((each) => (
            <li
              key={each}
              ref={passOnFocus}
              className="inline-flex max-w-full items-center gap-1 rounded-full bg-ink/6 pl-2.5 text-sm"
            >
              <span className="truncate">{each}</span>
              <button
                type="button"
                aria-label={textsWords.remove(each)}
                onClick={() => onChange(value.filter((other) => other !== each))}
                className="inline-flex size-6 shrink-0 items-center justify-center rounded-full text-ink-3 hover:bg-ink/6 hover:text-ink"
              >
                <X aria-hidden className="size-3.5" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <input
        {...ids}
        value={text}
        list={suggestions}
        placeholder={textsWords.hint}
        onChange={({ target }) => setText(target.value)}
        onBlur={add}
        onKeyDown={(event) => {
          if (isComposing(event)) return;
          if (event.key === 'Enter' || (isTags && event.key === ',')) {
            event.preventDefault();
            add();
          }
          if (event.key === 'Backspace' && text === '') onChange(value.slice(0, -1));
        }}
        className={formFieldLook}
      />
      <datalist id={suggestions}>
        {(data?.items ?? []).map(({ tag }) => (
          <option key={tag} value={tag}>
            {tag}
          </option>
        ))}
      </datalist>
    </>
  );
}
