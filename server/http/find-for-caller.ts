import { NotFoundError } from '#server/core/errors';
import type { ImportRun } from '#server/core/imports';
import type { QueuedMessage } from '#server/core/turns';
import { isTheirSite } from '#server/core/people';
import type { RouteInput } from '#server/http/route';

/* Finds what a caller names by its id. What belongs to somebody else answers 404, as if it were not there. */

type Asked = RouteInput<unknown, unknown, unknown>;
type Services = Asked['services'];

/** A message that waits in a session of the caller's own. @throws NotFoundError, for one of anybody else's too */
export async function ownQueued(
  id: string,
  { services, ownSession }: { services: Pick<Services, 'turns'>; ownSession: Asked['ownSession'] },
): Promise<QueuedMessage> {
  const item = await services.turns.queued(id);
  await hiddenAs('waiting message', id, ownSession(item.sessionId));
  return item;
}

/** A file of a session that the caller may see. @throws NotFoundError, for one of anybody else's too */
export async function anyAttachment(
  id: string,
  { services, anySession }: { services: Pick<Services, 'attachments'>; anySession: Asked['anySession'] },
) {
  const found = await services.attachments.read(id);
  await hiddenAs('attachment', id, anySession(found.blob.sessionId));
  return found;
}

/** An import into a site of the caller's. @throws NotFoundError, for one into any other site too */
export async function theirImport(
  id: string,
  {
    services: { imports },
    principal: { sites },
  }: { services: Pick<Services, 'imports'>; principal: Asked['principal'] },
): Promise<ImportRun> {
  const run = await imports.get(id);
  if (!isTheirSite(sites, run.target.id)) throw new NotFoundError('import', id);
  return run;
}

/** Names the thing, and not its session, where the session is not the caller's: the answer is that of an unknown id. */
async function hiddenAs(what: string, id: string, isHis: Promise<unknown>): Promise<void> {
  await isHis.catch((error: unknown) => {
    throw error instanceof NotFoundError ? new NotFoundError(what, id) : error;
  });
}
