import { route } from '#server/http/route';
import { readySchema } from '#server/http/schemas/answers/health';

/** For whoever sends requests here: migrated, and able to read. A server that is stopping refuses before it comes here. */
export const GET = route(
  { summary: 'Ready for requests: migrated, and able to read', answer: readySchema, access: 'public' },
  async ({ services }) => {
    await services.sites.report();
    return { status: 'ready' };
  },
);
