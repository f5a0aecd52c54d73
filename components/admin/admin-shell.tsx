import type { ReactNode } from 'react';
import { PageShell } from '#components/ui/page-shell';
import { ADMIN_AUDIT_PATH, ADMIN_BENCH_PATH, ADMIN_PATH, ADMIN_SETTINGS_PATH } from '#lib/desk/navigation';
import { adminStrings } from '#lib/strings/admin';

const { shell } = adminStrings;

/** Bar and main part of every administrator's page. */
export function AdminShell({ children }: { readonly children: ReactNode }) {
  return (
    <PageShell
      items={[
        { href: ADMIN_PATH, label: shell.sessions },
        { href: ADMIN_SETTINGS_PATH, label: shell.settings },
        { href: ADMIN_AUDIT_PATH, label: shell.audit, short: shell.shortAudit },
        { href: ADMIN_BENCH_PATH, label: shell.bench, short: shell.shortBench },
      ]}
      text={{ nav: shell.nav, home: shell.home, skip: shell.skip, back: shell.back }}
    >
      {children}
    </PageShell>
  );
}
