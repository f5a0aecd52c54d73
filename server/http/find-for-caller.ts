import { NotFoundError, type Thing } from '#server/core/errors';
import type { ImportRun } from '#server/core/site/imports';
import type { QueuedMessage } from '#server/core/conversation/turns';
import { includesSite } from '#server/core/admin/site-access';
import type { RouteInput } from '#server/http/route';

/*
 * Finds queued messages, attachments and imports that a caller names by id. Those of other users answer 404, as if they did
 * not exist.
 */

type Input = RouteInput<unknown, unknown, unknown>;
type Services = Input['services'];

/** A queued message in one of the caller's own sessions. @throws NotFoundError, also for messages of other users */
export async function findOwnQueued(
  id: string,
  { services, ownSession }: { services: Services; ownSession: Input['ownSession'] },
): Promise<QueuedMessage> {
  const item = await services.turns.queued(id);
  await notFoundAs('waiting message', id, ownSession(item.sessionId));
  return item;
}

/** A file of a session that the caller may read. @throws NotFoundError, also for files of other users */
export async function findAttachment(
  id: string,
  { services, anySession }: { services: Services; anySession: Input['anySession'] },
) {
  const found = await services.attachments.read(id);
  await notFoundAs('attachment', id, anySession(found.blob.sessionId));
  return found;
}

/** An import into a site that the caller may use. @throws NotFoundError, also for an import into any other site */
export async function findOwnImport(
  id: string,
  { services: { imports }, principal: { sites } }: { services: Services; principal: Input['principal'] },
): Promise<ImportRun> {
  const run = await imports.get(id);
  if (!includesSite(sites, run.target.id)) throw new NotFoundError('import', id);
  return run;
}

/**
 * Replaces "session not found" by "not found" for the item that was requested: the response is the same as for an unknown
 * id, and does not name the session of another user.
 * @param finding the search for the session of the item
 */
async function notFoundAs(what: Thing, id: string, finding: Promise<unknown>): Promise<void> {
  await finding.catch((error: unknown) => {
    throw error instanceof NotFoundError ? new NotFoundError(what, id) : error;
  });
}
