import { expect, it } from 'vitest';
import { auditExportPath, auditViewPath, everything, parseAuditView } from '#components/admin/audit-view.ts';

it('keeps the filters of the audit log in its address', () => {
  const view = { action: 'sign-in', by: 'usr_1', from: '2026-10-24', to: '2026-10-25' } as const;
  const address = new URL(auditViewPath(view), 'http://localhost');
  expect(parseAuditView(address.searchParams)).toEqual(view);
  expect(parseAuditView(new URLSearchParams('action=fly&from=2026-13-45&to=now'))).toEqual(everything);
});

it('asks for whole days, up to the end of the last one, also when the clock changes', () => {
  const file = auditExportPath({ ...everything, from: '2026-10-24', to: '2026-10-25' }, 'csv');
  const { searchParams } = new URL(file, 'http://localhost');
  const [from, until] = ['from', 'until'].map((name) => new Date(Number(searchParams.get(name))));
  expect([from, until]).toEqual([new Date('2026-10-24T00:00'), new Date('2026-10-26T00:00')]);
});
