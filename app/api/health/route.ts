import { route } from '#server/http/route';

/** Up, migrated and able to read. */
export const GET = route({ access: 'public' }, async ({ services }) => {
  await services.content.settings();
  return { status: 'ok' };
});
