import { entryAction } from '#server/http/entry-routes';

export const POST = entryAction(
  'Takes an entry off the site; its draft stays',
  (content, ...write) => content.unpublish(...write),
  'content:write',
);
