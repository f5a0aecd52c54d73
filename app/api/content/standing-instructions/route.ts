import { standingReportSchema } from '#server/core/site/standing-instructions';
import { standingChangeSchema } from '#server/core/site/changes';
import { route } from '#server/http/route';
import { standingBody } from '#server/http/schemas/content';
import { documentWriteQuery } from '#server/http/schemas/journal';

export const GET = route(
  {
    summary: 'What the assistant keeps to on this site, and what it costs',
    answer: standingReportSchema,
    access: 'content:read',
  },
  async ({ services }) => services.standing.report(),
);

export const PUT = route(
  {
    summary: 'Replaces the standing instructions',
    answer: standingChangeSchema,
    access: 'content:write',
    query: documentWriteQuery,
    body: standingBody,
  },
  async ({ body, query, origin, services: { content, standing } }) => {
    const { ifRevision: known, ...instructions } = body;
    const { ifRevision = known } = query;
    // The report contains the token costs.
    const {
      notes: _notes,
      noteMessages: _messages,
      ...change
    } = await content.setStandingInstructions(instructions, origin, {
      ...query,
      ifRevision,
    });
    const written = query.dryRun ? { ...instructions, revision: change.revision } : undefined;
    return { standingInstructions: await standing.report(written), change };
  },
);
