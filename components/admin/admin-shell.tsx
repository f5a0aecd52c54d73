import type { ReactNode } from 'react';
import { PageShell } from '#components/shell/page-shell';
import { ADMIN_AUDIT_PATH, ADMIN_PATH, ADMIN_SETTINGS_PATH } from '#components/desk/navigation';
import { adminStrings } from '#components/admin/words';

const { shell } = adminStrings;

/** Bar and main part of every administrator's page. */
export function AdminShell({ children }: { readonly children: ReactNode }) {
  return (
    <PageShell
      items={[
        { href: ADMIN_PATH, label: shell.sessions },
        { href: ADMIN_SETTINGS_PATH, label: shell.settings },
        { href: ADMIN_AUDIT_PATH, label: shell.audit, short: shell.shortAudit },
      ]}
      text={{ nav: shell.nav, home: shell.home, skip: shell.skip, back: shell.back }}
    >
      {children}
    </PageShell>
  );
}
