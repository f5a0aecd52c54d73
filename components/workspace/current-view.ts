import type { ChatRequest } from '#components/api/api-client.ts';

/** What is sent to the assistant with each message about the user's screen: open page, selection, time zone. */
type Here = NonNullable<ChatRequest['here']>;

let preview: Here['preview'];
let chosen: { readonly path: string; readonly sectionId: string | null; readonly text: string | null } | null = null;

/** Records the page that is open in the preview; undefined: none. */
export function reportOpenPage(page: Here['preview']): void {
  preview = page;
}

/** Records what is selected on a page: a section and the selected text; null: nothing. */
export function reportSelection(now: typeof chosen): void {
  chosen = now;
}

/** The open page, the selection on it and the time zone, read now. */
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
