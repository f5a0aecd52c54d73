import type { z } from 'zod';
import type { AuditAction } from '#server/core/audit';
import { type Handler, route, type RouteInput } from '#server/http/route';
import { entryChangeSchema } from '#server/http/schemas/answers/content';
import { entryParams } from '#server/http/schemas/content';
import { writeQuery } from '#server/http/schemas/journal';

type Input = RouteInput<z.infer<typeof entryParams>, z.infer<typeof writeQuery>, undefined>;

/** What is done to an entry, with what is known of the request. */
type EntryAct = (
  content: Input['services']['content'],
  id: string,
  origin: Input['origin'],
  options: Input['query'],
) => Promise<unknown>;

/**
 * A write to a whole entry that needs no more than its name.
 * @param audited under what it is written down for administrators, unless it was only tried. Null: it is not, and is
 * work on a draft.
 */
export function entryAction(summary: string, act: EntryAct, audited: AuditAction | null): Handler {
  const access = audited === null ? 'content:draft' : 'content:write';
  return route(
    { summary, answer: entryChangeSchema, access, params: entryParams, query: writeQuery },
    async ({ params, query, origin, audit, services: { content } }) => {
      const { id, draft } = await content.get(params.ref, params.collection);
      const change = await act(content, id, origin, query);
      if (audited && !query.dryRun) await audit(audited, { target: draft.title, details: { id } });
      return change;
    },
  );
}
