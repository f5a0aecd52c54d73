import type { AuditAction, AuditEntry, AuditPage, AuditQuery } from '#server/core/audit';
import type { ChangeOrigin } from '#server/core/changes';
import type { Principal } from '#server/core/access-rights';
import { clientOf } from '#server/auth/client';
import { logIds } from '#server/observability/log';
import type { AuditRepository } from '#server/store/audit-repository';

/** Facts about one action besides its actor. */
export interface AuditFacts {
  /** Name of the thing it was done to, for a person. */
  readonly target?: string | null | undefined;
  /** No secrets: names of what was set, not values. */
  readonly details?: AuditEntry['details'] | undefined;
  /** Headers of the request. */
  readonly headers?: Headers | undefined;
  /** Actor on a public route, as known or claimed. */
  readonly actorName?: string | undefined;
  readonly userId?: string | undefined;
  /** The work may not begin without its entry: that it could not be written is thrown. Default false. */
  readonly isRequired?: boolean | undefined;
}

/** Log of actions on keys, people, settings and the site. */
export interface AuditLog {
  /**
   * Throws only where the entry is required: else what was done stands, and that it could not be written down goes into
   * the log of the process.
   */
  record(who: Principal | null, action: AuditAction, facts?: AuditFacts): Promise<void>;
  /** Records a call by the assistant, on behalf of its user. Never throws. */
  recordTool(tool: string, origin: ChangeOrigin, target: string | null): Promise<void>;
  /** @throws InvalidInputError for a cursor that is none */
  list(query: AuditQuery): Promise<AuditPage>;
}

export function createAuditLog(store: AuditRepository, onFault: (message: string, error: unknown) => void): AuditLog {
  async function append(entry: Omit<AuditEntry, 'id' | 'createdAt'>, isRequired = false): Promise<void> {
    try {
      await store.append(entry);
    } catch (error) {
      if (isRequired) throw error;
      onFault(`The audit log could not be written (${entry.action})`, error);
    }
  }
  return {
    record: (
      who,
      action,
      { target = null, details = null, headers, actorName = 'Unknown', userId = null, isRequired } = {},
    ) =>
      append(
        {
          action,
          userId: who?.userId ?? userId,
          keyId: who?.keyId ?? null,
          actorName: who?.name ?? actorName,
          target,
          details,
          ipAddress: (headers && clientOf(headers).address) || null,
          requestId: logIds().requestId ?? null,
        },
        isRequired,
      ),
    recordTool: (tool, { userId = null, sessionId }, target) =>
      append({
        action: 'tool-run',
        userId,
        keyId: null,
        actorName: 'Assistant',
        target,
        details: { tool, ...(sessionId !== undefined && { sessionId }) },
        ipAddress: null,
        requestId: logIds().requestId ?? null,
      }),
    list: (query) => store.list(query),
  };
}
