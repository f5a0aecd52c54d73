import type { Metadata } from 'next';
import { AuditScreen, type SettingUnits } from '#components/admin/audit-screen';
import { translator } from '#components/i18n.ts';
import type { SettingReference } from '#server/core/admin/settings-report';
import { requirePage } from '#server/http/page-access';
import { services } from '#server/services';

const t = translator('audit');

export const generateMetadata = (): Metadata => ({ title: t('title') });

function unitsOf(reference: readonly SettingReference[]): SettingUnits {
  return Object.fromEntries(
    reference.flatMap(({ name, input, unit }) =>
      input.kind === 'number' ? [[name, { displayUnit: input.displayUnit, unit }]] : [],
    ),
  );
}

/** The audit log. */
export default async function AdminAuditPage() {
  await requirePage('admin');
  return <AuditScreen units={unitsOf((await services()).settings.report().reference)} />;
}
