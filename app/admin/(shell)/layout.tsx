import type { ReactNode } from 'react';
import { adminStrings } from '#components/admin/words.ts';
import { costStrings } from '#components/costs/words.ts';
import {
  ADMIN_AUDIT_PATH,
  ADMIN_COSTS_PATH,
  ADMIN_PATH,
  ADMIN_SETTINGS_PATH,
} from '#components/workspace/navigation.ts';
import { AppProviders } from '#components/shell/app-providers';
import { PageShell } from '#components/shell/page-shell';
import { pageSite, siteChoices } from '#server/http/page-access';

/** Bar and main part of the administrator's pages. */
export default async function AdminShell({ children }: { readonly children: ReactNode }) {
  const { nav, home, skip, back, sessions, settings, audit, shortAudit } = adminStrings.shell;
  return (
    <AppProviders sites={await siteChoices(await pageSite())}>
      <PageShell
        items={[
          { href: ADMIN_PATH, label: sessions },
          { href: ADMIN_SETTINGS_PATH, label: settings },
          { href: ADMIN_COSTS_PATH, label: costStrings.title },
          { href: ADMIN_AUDIT_PATH, label: audit, short: shortAudit },
        ]}
        text={{ nav, home, skip, back }}
      >
        {children}
      </PageShell>
    </AppProviders>
  );
}
