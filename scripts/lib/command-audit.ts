import { createAuditLog, type AuditFacts } from '#server/auth/audit-log';
import type { AuditAction } from '#server/core/audit';
import { createAuditRepository } from '#server/store/audit-repository';
import type { Database } from '#server/store/database';

/**
 * Writes into the audit log what was done from the command line. Never throws: what was done stands, and that it could
 * not be written is said.
 * @param command `user` of `npm run user`
 */
export async function auditCommand(
  database: Database,
  command: string,
  action: AuditAction,
  facts: Pick<AuditFacts, 'target' | 'details'>,
): Promise<void> {
  const audit = createAuditLog(createAuditRepository(database), (message, error) =>
    console.error(`${message}:`, error),
  );
  await audit.record(null, action, { actorName: `npm run ${command}`, ...facts });
}
