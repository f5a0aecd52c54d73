import { entryAction } from '#server/http/entry-action';

export const POST = entryAction(
  'Publishes the draft',
  (content, ...write) => content.publish(...write),
  'content-published',
);
