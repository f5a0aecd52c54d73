import { useEffect, useEffectEvent, useState } from 'react';
import { SearchField } from '#components/ui/search-field';
import { libraryStrings } from '#lib/strings/library';

const say = libraryStrings.media;
/** A pause in typing after which the search begins; ms. */
const TYPING_PAUSE = 250;

/** What of the library is looked at. */
export interface MediaView {
  readonly q: string;
  readonly undescribedOnly: boolean;
}

interface MediaToolsProps {
  readonly view: MediaView;
  readonly onView: (view: MediaView) => void;
}

/** Search by words, and only what nobody has described. */
export function MediaTools({ view, onView }: MediaToolsProps) {
  const [text, setText] = useState(view.q);
  const [known, setKnown] = useState(view.q);
  if (view.q !== known) {
    setKnown(view.q);
    setText(view.q);
  }
  const search = useEffectEvent((q: string) => {
    setKnown(q);
    onView({ ...view, q });
  });
  useEffect(() => {
    if (text.trim() === known) return;
    const timer = setTimeout(() => search(text.trim()), TYPING_PAUSE);
    return () => clearTimeout(timer);
  }, [text, known]);
  return (
    <search className="mt-8 flex flex-wrap items-center gap-x-6 gap-y-3">
      <SearchField label={say.search} value={text} onChange={setText} className="w-full sm:w-72" />
      <label className="flex items-center gap-2 text-sm text-ink-2">
        <input
          type="checkbox"
          checked={view.undescribedOnly}
          onChange={({ target }) => onView({ ...view, undescribedOnly: target.checked })}
          className="size-4 accent-accent"
        />
        {say.undescribedOnly}
      </label>
    </search>
  );
}
