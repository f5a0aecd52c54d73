import type { FunctionComponent } from 'react';
import type { PartBody, PartContent, ShownPartType } from '#server/core/conversation/parts';

/** How the chat shows the types of parts with `isShown` (server/core/conversation/part-types), by type. */
const partViews: { readonly [T in ShownPartType]: FunctionComponent<{ readonly content: PartContent<T> }> } = {};

/** A part in the view of its type. Nothing for a type that only a newer server knows. */
export function ShownPart({ part: { type, content } }: { readonly part: PartBody }) {
  const views: Partial<Record<string, FunctionComponent<{ readonly content: never }>>> = partViews;
  const View = views[type];
  // The type decides which content the view takes.
  return View ? <View content={content as never} /> : null;
}
