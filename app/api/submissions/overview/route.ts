import { requireBuiltIn } from '#server/http/admission';
import { submissionOverviewSchema } from '#server/core/site/submissions';
import { route } from '#server/http/route';
import { keepSubmissionsBody } from '#server/http/schemas/submissions';

export const GET = route(
  {
    summary: 'How many submissions there are, from which forms, and how long they are kept',
    answer: submissionOverviewSchema,
    access: 'person',
  },
  async ({ services, principal }) => {
    requireBuiltIn(principal);
    return services.submissions.overview();
  },
);

/** Sets how long submissions are kept; submissions that are already older are deleted immediately. */
export const PATCH = route(
  {
    summary: 'Sets for how many days submissions are kept; older ones are deleted at once',
    answer: submissionOverviewSchema,
    access: 'administrator',
    body: keepSubmissionsBody,
  },
  async ({ body: { keepDays }, services: { submissions }, audit }) => {
    await submissions.setKeepDays(keepDays);
    const deleted = await submissions.removeOld();
    await audit('submissions-kept', { details: { keepDays, deleted } });
    return submissions.overview();
  },
);
