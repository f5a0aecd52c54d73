import type { AuditAction, AuditEntry, AuditPage, AuditQuery } from '#server/core/audit';
import type { ChangeOrigin } from '#server/core/content';
import type { Principal } from '#server/core/people';
import { clientOf } from '#server/auth/client';
import { logIds } from '#server/observability/log';
import type { AuditRepository } from '#server/store/audit-repository';

/** What is written about one action besides who did it. */
export interface AuditFacts {
  /** What it was done to, for a person. */
  readonly target?: string | null | undefined;
  /** No secrets: names of what was set, not values. */
  readonly details?: AuditEntry['details'] | undefined;
  /** Of the request. */
  readonly headers?: Headers | undefined;
  /** Where nobody was asked for: who it was, or was said to be. */
  readonly actorName?: string | undefined;
  readonly userId?: string | undefined;
}

/** Who did what to keys, people, settings and the site. */
export interface AuditLog {
  /** Never throws: what was done stands, and that it could not be written down goes into the log of the process. */
  record(who: Principal | null, action: AuditAction, facts?: AuditFacts): Promise<void>;
  /** Of a call by the assistant, for whoever it works for. Never throws. */
  recordTool(tool: string, origin: ChangeOrigin, target: string | null): Promise<void>;
  /** @throws InvalidInputError for a cursor that is none */
  list(query: AuditQuery): Promise<AuditPage>;
}

export function createAuditLog(store: AuditRepository, onFault: (message: string, error: unknown) => void): AuditLog {
  async function append(entry: Omit<AuditEntry, 'id' | 'createdAt'>): Promise<void> {
    try {
      await store.append(entry);
    } catch (error) {
      onFault(`The audit log could not be written (${entry.action})`, error);
    }
  }
  return {
    record: (who, action, { target = null, details = null, headers, actorName = 'Unknown', userId = null } = {}) =>
      append({
        action,
        userId: who?.userId ?? userId,
        keyId: who?.keyId ?? null,
        actorName: who?.name ?? actorName,
        target,
        details,
        ipAddress: (headers && clientOf(headers).address) || null,
        requestId: logIds().requestId ?? null,
      }),
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
