import type { ReactNode } from 'react';
import { translator } from '#components/i18n.ts';
import {
  ADMIN_AUDIT_PATH,
  ADMIN_COSTS_PATH,
  ADMIN_PATH,
  ADMIN_SETTINGS_PATH,
} from '#components/workspace/navigation.ts';
import { AppProviders } from '#components/shell/app-providers';
import { PageShell } from '#components/shell/page-shell';
import { pageSite, siteChoices } from '#server/http/page-access';

const tAdmin = translator('admin.shell');

const t = translator('costs');

/** Bar and main part of the administrator's pages. */
export default async function AdminShell({ children }: { readonly children: ReactNode }) {
  return (
    <AppProviders sites={await siteChoices(await pageSite())}>
      <PageShell
        items={[
          { href: ADMIN_PATH, label: tAdmin('sessions') },
          { href: ADMIN_SETTINGS_PATH, label: tAdmin('settings') },
          { href: ADMIN_COSTS_PATH, label: t('title') },
          { href: ADMIN_AUDIT_PATH, label: tAdmin('audit'), short: tAdmin('shortAudit') },
        ]}
        text={{ nav: tAdmin('nav'), home: tAdmin('home'), skip: tAdmin('skip'), back: tAdmin('back') }}
      >
        {children}
      </PageShell>
    </AppProviders>
  );
}
