import { X } from 'lucide-react';
import { type ComponentProps, useId, useState } from 'react';
import useSWR from 'swr';
import { paths } from '#components/api/paths';
import { panelStrings } from '#components/editor/panel-words';
import { formFieldLook } from '#components/ui/fields';
import { passOnFocus } from '#components/ui/focus';
import { isComposing } from '#components/ui/hooks';

const say = panelStrings.texts;

interface TextsControlProps extends Pick<ComponentProps<'input'>, 'id' | 'aria-describedby' | 'aria-invalid'> {
  /** One of them: `Tag`. */
  readonly item: string;
  /** Tags that are in use are offered, and a comma ends one. */
  readonly isTags: boolean;
  readonly value: readonly string[];
  readonly onChange: (texts: readonly string[]) => void;
}

/** A list of short texts: Enter adds one, Backspace in the empty field removes the last. */
export function TextsControl({ item, isTags, value, onChange, ...ids }: TextsControlProps) {
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
                aria-label={say.remove(each)}
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
        placeholder={say.hint}
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
