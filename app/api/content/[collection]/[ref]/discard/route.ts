import { entryAction } from '#server/http/entry-action';

export const POST = entryAction(
  'Makes the draft what is published again',
  (content, ...write) => content.discardDraft(...write),
  'content:draft',
);
