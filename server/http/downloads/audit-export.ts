import type { AuditEntry } from '#server/core/admin/audit';
import { BYTE_ORDER_MARK, csvLine } from '#server/http/downloads/csv';

/** Columns of the CSV file: fields of an entry. */
const columns = [
  'id',
  'createdAt',
  'action',
  'actorName',
  'userId',
  'keyId',
  'target',
  'details',
  'ipAddress',
  'requestId',
] as const satisfies readonly (keyof AuditEntry)[];

/** Entries of the audit log as a CSV file, for spreadsheets. @param pages entries in pages */
export async function* auditCsv(pages: AsyncIterable<readonly AuditEntry[]>): AsyncGenerator<string> {
  yield `${BYTE_ORDER_MARK}${csvLine(columns)}`;
  for await (const page of pages)
    yield page.map((entry) => csvLine(columns.map((name) => cellOf(entry, name)))).join('');
}

/** Entries of the audit log as a JSON array. @param pages entries in pages */
export async function* auditJson(pages: AsyncIterable<readonly AuditEntry[]>): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const page of pages) {
    for (const entry of page) {
      yield `${separator}${JSON.stringify(entry)}`;
      separator = ',\n';
    }
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}

function cellOf(entry: AuditEntry, name: (typeof columns)[number]): string {
  if (name === 'createdAt') return new Date(entry.createdAt).toISOString();
  const value = entry[name];
  return typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
}
