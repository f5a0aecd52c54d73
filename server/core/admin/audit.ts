import { z } from 'zod';
import { codedMessageSchema, type ServerText } from '#server/core/coded-message';
import { type AuditAction, auditActions } from '#server/core/admin/audit-actions';
import type { JsonValue } from '#server/core/json';
import { components, idOf, json, pageOf, type Shape, time } from '#server/core/shapes';

/** One action, with its actor, its time and the client. */
const auditEntrySchema = z
  .strictObject({
    id: idOf('aud'),
    action: z.enum(auditActions).describe('What was done; the names are permanent'),
    userId: z.string().nullable().describe('Null: unknown (a failed sign-in)'),
    keyId: z.string().nullable().describe('Id of the API key that was used; null: none'),
    actorName: z.string().describe('Name of the person or key at that time'),
    actorMessage: codedMessageSchema
      .nullable()
      .describe('`actorName` as data if it is a name of ours, for example that of the assistant; null: any other name'),
    target: z.string().nullable().describe('Display name of the target of the action; null: no separate target'),
    targetMessage: codedMessageSchema
      .nullable()
      .describe('`target` as data if the words are ours, for example the menu; null: any other name'),
    details: z.record(z.string(), json).nullable().describe('Additional data without secrets'),
    ipAddress: z.string().nullable().describe('Address of the client; null if it is unknown'),
    requestId: z.string().nullable().describe('Id of the request, as in the logs'),
    createdAt: time,
  })
  .register(components, { id: 'AuditEntry' });
export type AuditEntry = Shape<typeof auditEntrySchema>;

/** An entry before it is stored. */
export type NewAuditEntry = Omit<AuditEntry, 'id' | 'createdAt'>;

/** Facts about one action in addition to its actor. */
export interface AuditFacts {
  /** Display name of the object of the action; with its code if the words are ours. */
  readonly target?: string | ServerText | null | undefined;
  /** Must not contain secrets. Values only of settings, roles and rights, as `changes` (`AuditChange`). */
  readonly details?: AuditEntry['details'] | undefined;
  /** Headers of the request. */
  readonly headers?: Headers | undefined;
  /** Name of the actor on a route without a principal, as claimed or looked up, for example in a failed sign-in. */
  readonly actorName?: string | undefined;
  /** User id of that actor, if known. */
  readonly userId?: string | undefined;
  /** True: a failure to write the entry is thrown, for actions that must not happen without one. Default false. */
  readonly isRequired?: boolean | undefined;
}

/** Records an action of the caller. */
export type RecordAction = (action: AuditAction, facts?: AuditFacts) => Promise<void>;

/** Newest first. */
export const auditPageAnswer = pageOf(auditEntrySchema).register(components, { id: 'AuditPage' });
export type AuditPage = Shape<typeof auditPageAnswer>;

/** A value before and after an action, in `details.changes` of an entry. */
export type AuditChange = {
  /** Name of the setting or field. */
  readonly name: string;
  readonly before: JsonValue;
  readonly after: JsonValue;
};

/** The values that an action has changed, of the names that are given. They must be JSON, and no secrets. */
export function changedValues(names: readonly string[], before: object | null, after: object): AuditChange[] {
  const valueIn = (values: object | null, name: string) =>
    (values && (Reflect.get(values, name) as JsonValue | undefined)) ?? null;
  const pairs = names.map((name) => ({ name, before: valueIn(before, name), after: valueIn(after, name) }));
  return pairs.filter((pair) => JSON.stringify(pair.before) !== JSON.stringify(pair.after));
}

/** Filter of the audit log. */
export interface AuditFilter {
  readonly action?: AuditAction | undefined;
  readonly userId?: string | undefined;
  /** Entries from this time on; epoch milliseconds. */
  readonly from?: number | undefined;
  /** Entries before this time; epoch milliseconds. */
  readonly until?: number | undefined;
}

/** Filter and page of a query of the audit log. */
export interface AuditQuery extends AuditFilter {
  /** Cursor at the end of the previous page. */
  readonly cursor?: string | undefined;
  /** 1 to 200. Default 50. */
  readonly limit?: number | undefined;
}
