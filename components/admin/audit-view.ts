import { paths } from '#components/api/paths.ts';
import { ADMIN_AUDIT_PATH } from '#components/workspace/navigation.ts';
import { type AuditAction, auditActions } from '#server/core/admin/audit-actions';

/** Filters of the audit log; null: not filtered. */
export interface AuditView {
  readonly action: AuditAction | null;
  /** Id of a person. */
  readonly by: string | null;
  /** First and last day, in the time zone of the browser: `2026-11-30`. */
  readonly from: string | null;
  readonly to: string | null;
}

/** No filters. */
export const everything: AuditView = { action: null, by: null, from: null, to: null };

/** Reads a view from an address; missing or invalid values are no filters. */
export function parseAuditView(params: URLSearchParams): AuditView {
  const day = (name: string) => {
    const text = params.get(name) ?? '';
    return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(startOf(text)) ? text : null;
  };
  return {
    action: auditActions.find((action) => action === params.get('action')) ?? null,
    by: params.get('by'),
    from: day('from'),
    to: day('to'),
  };
}

/** The address of a view. */
export function auditViewPath(view: AuditView): string {
  const params = Object.entries(view).filter((entry): entry is [string, string] => entry[1] !== null);
  const query = new URLSearchParams(params).toString();
  return query === '' ? ADMIN_AUDIT_PATH : `${ADMIN_AUDIT_PATH}?${query}`;
}

/** Address of a page of entries. @param cursor null: the first page */
export function entriesPath(view: AuditView, cursor: string | null) {
  return paths.auditLog({ ...filterOf(view), cursor: cursor ?? undefined });
}

/** Address of the file with all entries of a view. */
export function auditExportPath(view: AuditView, format: 'csv' | 'json'): string {
  return paths.auditExport({ ...filterOf(view), format });
}

function filterOf({ action, by, from, to }: AuditView) {
  return {
    action: action ?? undefined,
    userId: by ?? undefined,
    from: from === null ? undefined : String(startOf(from)),
    until: to === null ? undefined : String(startOf(to, 1)),
  };
}

/** Midnight at the start of a day, plus whole days; epoch milliseconds. */
function startOf(day: string, plusDays = 0): number {
  const date = new Date(`${day}T00:00`);
  date.setDate(date.getDate() + plusDays);
  return date.getTime();
}
