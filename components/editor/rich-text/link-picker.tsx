import { useId, useState } from 'react';
import { useEntries } from '#components/desk/entries';
import { isLinkAddress } from '#components/editor/rich-text/schema';
import { richTextStrings } from '#components/editor/rich-text/words';
import { Button } from '#components/ui/buttons';
import { formFieldLook } from '#components/ui/fields';
import { isComposing } from '#components/ui/hooks';

/** A host as people write it, with what may follow. */
const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:[/?#]\S*)?$/i;
const E_MAIL = /^[^\s@/:]+@[^\s@/:]+\.[^\s@/:]+$/;

/** The address that somebody means; null where it is none. */
export function addressOf(typed: string): string | null {
  const text = typed.trim();
  if (isLinkAddress(text)) return text;
  if (E_MAIL.test(text)) return `mailto:${text}`;
  return HOST.test(text) ? `https://${text}` : null;
}

interface LinkPickerProps {
  /** Address of the link that is there; null: none is. */
  readonly href: string | null;
  /** `words`: of the link where nothing is selected. Null takes the link away. */
  readonly onPick: (href: string | null, words: string) => void;
}

/** Asks where a link leads: a page or post of the site, or any address. */
export function LinkPicker({ href, onPick }: LinkPickerProps) {
  const [typed, setTyped] = useState(href ?? '');
  const { entries = [], error } = useEntries();
  const hintId = useId();
  const wanted = typed === href ? '' : typed.trim().toLowerCase();
  const found = entries.filter(({ title, path }) => title.toLowerCase().includes(wanted) || path.includes(wanted));
  const address = addressOf(typed);
  const [first] = wanted === '' ? [] : found;
  const submit = () => {
    const exact = found.find(({ title }) => title.toLowerCase() === wanted);
    const entry = exact ?? (address === null ? first : undefined);
    if (entry) onPick(entry.path, entry.title);
    else if (address !== null) onPick(address, typed.trim());
  };
  const isUnknown = wanted !== '' && address === null && found.length === 0;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        // Of the form that the text may be in.
        event.stopPropagation();
        submit();
      }}
    >
      <input
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && isComposing(event)) event.preventDefault();
        }}
        aria-label={richTextStrings.linkTo}
        placeholder={richTextStrings.linkHint}
        {...(isUnknown && { 'aria-describedby': hintId })}
        autoComplete="off"
        spellCheck={false}
        className={formFieldLook}
      />
      {isUnknown && (
        <p id={hintId} className="px-2 pt-2 text-xs text-ink-2">
          {richTextStrings.linkUnknown}
        </p>
      )}
      {error !== undefined && <p className="px-2 pt-2 text-xs text-ink-2">{richTextStrings.pagesFailed}</p>}
      <ul className="my-1 max-h-56 overflow-y-auto">
        {found.map(({ id, path, title }) => (
          <li key={id}>
            <button
              type="button"
              aria-current={path === href ? 'true' : undefined}
              onClick={() => onPick(path, title)}
              className="flex w-full items-baseline gap-2 rounded-md px-2.5 py-1.5 text-left text-sm hover:bg-ink/6 aria-[current]:text-accent"
            >
              <span className="min-w-0 flex-1 truncate">{title}</span>
              <span className="max-w-32 truncate text-2xs text-ink-3">{path}</span>
            </button>
          </li>
        ))}
      </ul>
      <div className="flex justify-end gap-1">
        {href !== null && (
          <Button variant="ghost" onClick={() => onPick(null, '')}>
            {richTextStrings.linkRemove}
          </Button>
        )}
        <Button type="submit" variant="primary" disabled={address === null && first === undefined}>
          {richTextStrings.linkApply}
        </Button>
      </div>
    </form>
  );
}
