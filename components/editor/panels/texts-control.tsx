import { X } from 'lucide-react';
import { useId, useState } from 'react';
import { paths } from '#components/api/paths.ts';
import { useApi } from '#components/api/use-api.ts';
import { translator } from '#components/i18n.ts';
import { type ControlIds, formFieldStyle } from '#components/ui/fields';
import { passOnFocus } from '#components/ui/focus/pass-on-focus.ts';
import { isComposing } from '#components/ui/keys.ts';

const t = translator('sectionPanel');

interface TextsControlProps extends ControlIds {
  /** Name of one text: `Tag`. */
  readonly item: string;
  /** True for tags: existing tags are suggested, and a comma completes one. */
  readonly isTags: boolean;
  readonly value: readonly string[];
  readonly onChange: (texts: readonly string[]) => void;
}

/** A list of short texts: Enter adds one, Backspace in the empty field removes the last. */
export function TextsControl({ item, isTags, value, onChange, ...ids }: TextsControlProps) {
  const [text, setText] = useState('');
  const suggestions = useId();
  const { data } = useApi(isTags ? paths.tags : null);
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
                aria-label={t('texts.remove', { text: each })}
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
        placeholder={t('texts.hint')}
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
        className={formFieldStyle}
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
