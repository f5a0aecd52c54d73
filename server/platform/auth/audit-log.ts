import { AsyncLocalStorage } from 'node:async_hooks';
import type {
  AuditEntry,
  AuditFacts,
  AuditFilter,
  AuditPage,
  AuditQuery,
  NewAuditEntry,
} from '#server/core/admin/audit';
import type { AuditAction } from '#server/core/admin/audit-actions';
import type { EndedKeyWork } from '#server/core/conversation/turn-store';
import type { ServerText } from '#server/core/coded-message';
import { nameFields } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import { targetName } from '#server/core/site/document-names';
import type { ChangeOrigin, ChangeSet } from '#server/core/site/changes';
import type { Principal } from '#server/core/admin/access-rights';
import { EMBEDDED_SITE } from '#server/core/site/content';
import { clientOf } from '#server/platform/auth/trusted-headers';
import { logIds } from '#server/platform/telemetry/log-ids';
import type { AuditRepository } from '#server/platform/auth/store/audit-repository';

/** Log of actions on keys, people, settings and the site. */
export interface AuditLog {
  /**
   * Records an action. A failure to record it is written to the process log, because the action has happened already.
   * @throws the error of the store if `isRequired` is set
   */
  record(who: Principal | null, action: AuditAction, facts?: AuditFacts): Promise<void>;
  /** Runs `work` as the request of a principal: `recordChanges` in it names the principal and the client's address. */
  during<T>(who: Principal, headers: Headers, work: () => Promise<T>): Promise<T>;
  /**
   * Records the changes that one write has made to a site, one entry for each audit action. Omits changes of imports,
   * whose start is recorded instead, and changes made in the site's own CMS. Never throws.
   */
  recordChanges(siteId: string, changes: readonly ChangeSet[]): Promise<void>;
  /** Records a tool call of the assistant, on behalf of its user. Never throws. */
  recordTool(tool: string, origin: ChangeOrigin, target: string | ServerText | null): Promise<void>;
  /** Records turns and queued messages that ended because their API key became invalid. Never throws. */
  recordEndedKeyWork(work: EndedKeyWork): Promise<void>;
  /** Lists entries, newest first. @throws InvalidInputError for an invalid cursor */
  list(query: AuditQuery): Promise<AuditPage>;
  /** All entries that match, newest first, in pages. */
  each(filter: AuditFilter): AsyncIterable<readonly AuditEntry[]>;
}

/** @param onFault receives failures to write an entry that are not thrown */
export function createAuditLog(store: AuditRepository, onFault: (message: string, error: unknown) => void): AuditLog {
  async function append(entry: NewAuditEntry, isRequired = false): Promise<void> {
    try {
      await store.append(entry);
    } catch (error) {
      if (isRequired) throw error;
      onFault(`The audit log could not be written (${entry.action})`, error);
    }
  }
  const request = new AsyncLocalStorage<{ readonly who: Principal; readonly headers: Headers }>();
  /**
   * Author of a change, as far as known: actions of assistants and schedules may outlast the request that started them.
   */
  function authorOf({ actor, userId, userName }: ChangeOrigin) {
    const nobody = { userId: userId ?? null, keyId: null, ipAddress: null };
    if (actor === 'assistant' || actor === 'schedule')
      return { ...nobody, ...actorFields(serverText(actor === 'assistant' ? 'audit-assistant' : 'audit-schedule')) };
    const { who, headers } = request.getStore() ?? {};
    if (who === undefined || who.userId !== userId)
      return { ...nobody, ...actorFields(userName ?? serverText('audit-unknown')) };
    return {
      userId: who.userId,
      keyId: who.keyId,
      ...actorFields(nameOf(who)),
      ipAddress: (headers && clientOf(headers).address) || null,
    };
  }
  return {
    during: (who, headers, work) => request.run({ who, headers }, work),
    async recordChanges(siteId, changes) {
      const recorded = changes.filter(({ origin }) => !UNRECORDED_ACTORS.has(origin.actor));
      for (const [action, group] of Map.groupBy(recorded, auditActionOf)) {
        const [first, ...others] = group;
        if (first === undefined) continue;
        const { sessionId } = first.origin;
        await append({
          action,
          ...authorOf(first.origin),
          ...targetFields(
            others.length === 0
              ? targetName({ type: first.targetType, title: first.title })
              : serverText('audit-changes', { count: group.length }),
          ),
          details: {
            ...(others.length === 0 && { id: first.targetId, changeId: first.id, ...summaryOf(first) }),
            ...(sessionId !== undefined && { sessionId }),
            ...(siteId !== EMBEDDED_SITE && { siteId }),
          },
          requestId: logIds().requestId ?? null,
        });
      }
    },
    record: (who, action, { target = null, details = null, headers, actorName, userId = null, isRequired } = {}) =>
      append(
        {
          action,
          userId: who?.userId ?? userId,
          keyId: who?.keyId ?? null,
          ...actorFields(who ? nameOf(who) : (actorName ?? serverText('audit-unknown'))),
          ...targetFields(target),
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
        ...actorFields(serverText('audit-assistant')),
        ...targetFields(target),
        details: { tool, ...(sessionId !== undefined && { sessionId }) },
        ipAddress: null,
        requestId: logIds().requestId ?? null,
      }),
    recordEndedKeyWork: ({ key: { id, name, userId }, sessionId, reason, turnId, held }) =>
      append({
        action: 'key-work-ended',
        userId,
        keyId: null,
        ...actorFields('Throughline'),
        ...targetFields(name),
        details: { keyId: id, reason, sessionId, ...(turnId !== null && { turnId }), ...(held > 0 && { held }) },
        ipAddress: null,
        requestId: logIds().requestId ?? null,
      }),
    list: (query) => store.list(query),
    each: (filter) => store.each(filter),
  };
}

/** What a change of a document of the site did, with values before and after; entries and pictures have a history for it. */
function summaryOf({ targetType, summary, summaryMessage }: ChangeSet) {
  const isDocument = ['navigation', 'settings', 'standing-instructions', 'design'].includes(targetType);
  return isDocument ? { summary, ...(summaryMessage && { summaryMessage }) } : {};
}

/** Name of a caller; the owner in local mode has no name of their own. */
function nameOf({ kind, name }: Principal): string | ServerText {
  return kind === 'local' ? serverText('audit-owner') : name;
}

function actorFields(name: string | ServerText) {
  const { text, message } = nameFields(name);
  return { actorName: text, actorMessage: message };
}

function targetFields(name: string | ServerText | null) {
  if (name === null) return { target: null, targetMessage: null };
  const { text, message } = nameFields(name);
  return { target: text, targetMessage: message };
}

/** Actors whose changes are not recorded: imports and seeds have an entry of their own, external ones are made elsewhere. */
const UNRECORDED_ACTORS: ReadonlySet<ChangeOrigin['actor']> = new Set(['import', 'seed', 'external']);

/** Changes of pages and posts; all others count as `content-published`. */
const ENTRY_ACTIONS: Partial<Record<ChangeSet['action'], AuditAction>> = {
  delete: 'content-deleted',
  restore: 'content-restored',
  unpublish: 'content-unpublished',
  schedule: 'content-scheduled',
  // Visitors see no difference, but the schedule is removed together with the draft.
  discard: 'content-scheduled',
};
/** Changes of pictures; all others count as `media-changed`. */
const PICTURE_ACTIONS: Partial<Record<ChangeSet['action'], AuditAction>> = {
  delete: 'media-deleted',
  restore: 'media-restored',
};

/** The audit action that describes a change of the published site. */
function auditActionOf({ targetType, action }: ChangeSet): AuditAction {
  if (action === 'undo') return 'changes-undone';
  switch (targetType) {
    case 'navigation':
      return 'menu-changed';
    case 'settings':
      return 'site-settings-changed';
    case 'design':
      return 'design-published';
    case 'standing-instructions':
      return 'standing-instructions-changed';
    case 'asset':
      return PICTURE_ACTIONS[action] ?? 'media-changed';
    default:
      return ENTRY_ACTIONS[action] ?? 'content-published';
  }
}
