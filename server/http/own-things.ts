import { NotFoundError } from '#server/core/errors';
import type { ImportRun } from '#server/core/imports';
import type { QueuedMessage } from '#server/core/messages';
import { fileNames, writtenText } from '#server/core/part-text';
import { isTheirSite } from '#server/core/people';
import type { RouteInput } from '#server/http/route';

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

/** Whoever asks for what is somebody else's reads what he would read if there were nothing: no id of a session. */
async function hiddenAs(what: string, id: string, isHis: Promise<unknown>): Promise<void> {
  await isHis.catch((error: unknown) => {
    throw error instanceof NotFoundError ? new NotFoundError(what, id) : error;
  });
}

/** A waiting message as the REST contract shows it. */
export function queuedItem({ id, parts, createdAt, modelId, heldReason }: QueuedMessage) {
  return { id, text: writtenText(parts), files: fileNames(parts), createdAt, modelId, heldReason };
}
