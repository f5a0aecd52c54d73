import type { ChatRequest } from '#components/api/api-client';

/** What the assistant is told of this browser with each message. */
type Here = NonNullable<ChatRequest['here']>;

let preview: Here['preview'];

/** Notes the page that is open in the preview; undefined: none is. */
export function noteOpenPage(page: Here['preview']): void {
  preview = page;
}

/** The page that is open and the time zone, now. */
export function here(): Here {
  const { timeZone: zone } = new Intl.DateTimeFormat().resolvedOptions();
  return { zone, ...(preview && { preview }) };
}
