import type { ChatRequest } from '#components/api/api-client';

/** Facts about this browser that go to the assistant with each message. */
type Here = NonNullable<ChatRequest['here']>;

let preview: Here['preview'];
let chosen: { readonly path: string; readonly sectionId: string | null; readonly text: string | null } | null = null;

/** Notes the page that is open in the preview; undefined: none is. */
export function noteOpenPage(page: Here['preview']): void {
  preview = page;
}

/** Notes what is chosen on a page: a section, and words that are selected; null: nothing is. */
export function noteChosen(now: typeof chosen): void {
  chosen = now;
}

/** The page that is open, what is chosen on it, and the time zone, now. */
export function here(): Here {
  const { timeZone: zone } = new Intl.DateTimeFormat().resolvedOptions();
  if (!preview) return { zone };
  if (chosen?.path !== preview.path) return { zone, preview };
  const { sectionId, text, path } = chosen;
  return {
    zone,
    preview: { ...preview, ...(sectionId !== null && { section: sectionId }) },
    ...(text !== null && { selection: { text, source: path } }),
  };
}
