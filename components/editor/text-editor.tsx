import { type RefObject, useEffect, useRef, useState } from 'react';
import { useDeskRequest } from '#components/desk/desk-requests';
import { textElement } from '#components/editor/covered-text';
import type { FieldPlace } from '#components/editor/places';
import { fetchedLater } from '#components/ui/fetched-later';

const load = () => import('#components/editor/field-editor');
const FieldEditor = fetchedLater(async () => (await load()).FieldEditor);

/** A text that is being written. */
interface Writing {
  readonly place: FieldPlace;
  /** Point of the screen where the cursor goes; undefined: behind the last word. */
  readonly at?: { readonly x: number; readonly y: number } | undefined;
  /** Another number each time that a text is opened. */
  readonly id: number;
}

interface TextEditorProps {
  /** Window of the draft over which this is drawn. */
  readonly page: Window;
  /** Path of the page on the site. */
  readonly path: string;
  /** The layer that this is in, as large as the page's window. */
  readonly layer: RefObject<HTMLElement | null>;
  /** A text is likely to be written soon: the code for it is fetched. */
  readonly isLikely: boolean;
  /** Called when a text was left by a key, to take the focus. */
  readonly onLeft: () => void;
}

/** Writes the texts of a draft in place, as the desk asks for it. */
export function TextEditor({ page, path, layer, isLikely, onLeft }: TextEditorProps) {
  const [writing, setWriting] = useState<Writing | null>(null);
  /** The text cannot be saved, and would be lost. */
  const isStuck = useRef(false);
  const count = useRef(0);

  useEffect(() => {
    // Its component fetches it again, and says so where that fails.
    if (isLikely) void load().catch(() => undefined);
  }, [isLikely]);

  useDeskRequest('edit-text', ({ sectionId, field, at }) => {
    if (textElement(page.document, { sectionId, field }) === null) return false;
    if (isStuck.current) return true;
    count.current += 1;
    setWriting({ place: { sectionId, field }, at, id: count.current });
    return true;
  });

  if (writing === null) return null;
  return (
    <FieldEditor
      key={writing.id}
      page={page}
      path={path}
      layer={layer}
      place={writing.place}
      at={writing.at}
      onStuck={(now) => {
        isStuck.current = now;
      }}
      onLeave={(how) => {
        isStuck.current = false;
        setWriting((now) => (now === writing ? null : now));
        if (how === 'key') onLeft();
      }}
    />
  );
}
