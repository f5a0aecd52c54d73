import { translator } from '#components/i18n.ts';
import { HelpedSection } from '#components/ui/help-section';
import { settingId } from '#components/workspace/settings-pages.ts';
import type { ProcessSetting } from '#server/core/admin/settings-report';

const t = translator('settings');
const tServer = translator('server');

/** Environment variables of the server, read-only. */
export function ProcessSection({ settings }: { readonly settings: readonly ProcessSetting[] }) {
  return (
    <HelpedSection name="process" title={t('process.title')} body={t('process.body')}>
      <dl className="border-t border-rule">
        {settings.map((setting) => (
          <div
            key={setting.name}
            id={settingId(setting.name)}
            tabIndex={-1}
            className="grid scroll-mt-20 gap-x-8 gap-y-1 border-b border-rule py-3.5 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]"
          >
            <dt className="min-w-0">
              <code className="font-mono text-xs break-all">{setting.name}</code>
              <span className="mt-0.5 block text-sm text-ink-2">
                {tServer.find(`variable.${setting.name}`) ?? setting.description}
              </span>
            </dt>
            <dd className="min-w-0 text-sm">
              <Value setting={setting} />
              {setting.default !== '' && setting.isSet && (
                <span className="block text-xs text-ink-3">{t('process.default', { value: setting.default })}</span>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </HelpedSection>
  );
}

function Value({ setting: { isSecret, isSet, value } }: { readonly setting: ProcessSetting }) {
  if (isSecret && isSet) return <span className="text-ink-2">{t('process.secretSet')}</span>;
  if (value === null) return <span className="text-ink-3">{t('process.unset')}</span>;
  return <code className="font-mono text-xs break-all">{value}</code>;
}
