import { entryAction } from '#server/http/entry-routes';

export const POST = entryAction(
  'Makes the draft what is published again',
  (content, ...write) => content.discardDraft(...write),
  'content:draft',
);
