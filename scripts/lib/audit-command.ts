import { messageOf } from '#server/core/errors';
import { createAuditLog } from '#server/platform/auth/audit-log';
import type { AuditFacts } from '#server/core/admin/audit';
import type { AuditAction } from '#server/core/admin/audit-actions';
import { createAuditRepository } from '#server/platform/auth/store/audit-repository';
import type { Database } from '#server/platform/database/database';

/**
 * Writes an action of the command line into the audit log. Never throws: the action is done, and a failed log entry is
 * printed.
 * @param command `user` of `npm run user`
 */
export async function auditCommand(
  database: Database,
  command: string,
  action: AuditAction,
  facts: Pick<AuditFacts, 'target' | 'details'>,
): Promise<void> {
  const audit = createAuditLog(createAuditRepository(database), (message, error) =>
    console.error(`${message}: ${messageOf(error)}`),
  );
  await audit.record(null, action, { actorName: `npm run ${command}`, ...facts });
}
