import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditAction, AuditEntry, AuditPage, AuditQuery } from '#server/core/audit';
import type { ChangeOrigin, ChangeSet } from '#server/core/changes';
import type { Principal } from '#server/core/access-rights';
import { EMBEDDED_SITE } from '#server/core/content';
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
  /** Runs work that somebody asks for: what it changes on a site is recorded with them and their address. */
  during<T>(who: Principal, headers: Headers, work: () => Promise<T>): Promise<T>;
  /**
   * Records changes of a site by one write, an entry for each kind; not those of imports, which their start tells of, nor
   * those made in the site's own CMS. Never throws.
   */
  recordChanges(siteId: string, changes: readonly ChangeSet[]): Promise<void>;
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
  const asking = new AsyncLocalStorage<{ readonly who: Principal; readonly headers: Headers }>();
  /** Who made a change, as far as is known: what assistants and plans do may outlast the request that began it. */
  function authorOf({ actor, userId, userName }: ChangeOrigin) {
    const nobody = { userId: userId ?? null, keyId: null, ipAddress: null };
    if (actor === 'assistant' || actor === 'schedule')
      return { ...nobody, actorName: actor === 'assistant' ? 'Assistant' : 'Schedule' };
    const { who, headers } = asking.getStore() ?? {};
    if (who === undefined || who.userId !== userId) return { ...nobody, actorName: userName ?? 'Unknown' };
    return {
      userId: who.userId,
      keyId: who.keyId,
      actorName: who.name,
      ipAddress: (headers && clientOf(headers).address) || null,
    };
  }
  return {
    during: (who, headers, work) => asking.run({ who, headers }, work),
    async recordChanges(siteId, changes) {
      const told = changes.filter(({ origin }) => !UNTOLD.has(origin.actor));
      for (const [action, ofKind] of Map.groupBy(told, auditedAs)) {
        const [first, ...others] = ofKind;
        if (first === undefined) continue;
        const { sessionId } = first.origin;
        await append({
          action,
          ...authorOf(first.origin),
          target: others.length === 0 ? first.title : `${ofKind.length} changes`,
          details: {
            ...(others.length === 0 && { id: first.targetId, changeId: first.id }),
            ...(sessionId !== undefined && { sessionId }),
            ...(siteId !== EMBEDDED_SITE && { siteId }),
          },
          requestId: logIds().requestId ?? null,
        });
      }
    },
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

/** Actors whose changes have an entry of their own, or are none of ours. */
const UNTOLD: ReadonlySet<ChangeOrigin['actor']> = new Set(['import', 'seed', 'external']);

const OF_ENTRIES: Partial<Record<ChangeSet['action'], AuditAction>> = {
  delete: 'content-deleted',
  restore: 'content-restored',
  unpublish: 'content-unpublished',
  schedule: 'content-scheduled',
  // Visitors see what they saw, but a plan is gone with the draft.
  discard: 'content-scheduled',
};
const OF_PICTURES: Partial<Record<ChangeSet['action'], AuditAction>> = {
  delete: 'media-deleted',
  restore: 'media-restored',
};

/** The action of a change that visitors notice. */
function auditedAs({ targetType, action }: ChangeSet): AuditAction {
  if (action === 'undo') return 'changes-undone';
  switch (targetType) {
    case 'navigation':
      return 'menu-changed';
    case 'settings':
      return 'site-settings-changed';
    case 'standing-instructions':
      return 'standing-instructions-changed';
    case 'asset':
      return OF_PICTURES[action] ?? 'media-changed';
    default:
      return OF_ENTRIES[action] ?? 'content-published';
  }
}
